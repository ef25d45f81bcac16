-- AlterTable
ALTER TABLE "push_events" ADD COLUMN "call_end_id" BIGINT;
