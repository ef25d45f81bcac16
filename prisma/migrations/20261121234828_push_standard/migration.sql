-- AlterTable
ALTER TABLE "push_events" ADD COLUMN     "standard_id" BIGINT;
