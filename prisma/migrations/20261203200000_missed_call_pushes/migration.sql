-- AlterTable
ALTER TABLE "call_participants" ADD COLUMN "missed_push_at" TIMESTAMPTZ(3);
