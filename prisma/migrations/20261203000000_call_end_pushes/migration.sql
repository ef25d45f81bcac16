-- AlterTable
ALTER TABLE "applications" ADD COLUMN "call_end_push" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "call_end_voip" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "push_events" ADD COLUMN "call_end_id" BIGINT;
