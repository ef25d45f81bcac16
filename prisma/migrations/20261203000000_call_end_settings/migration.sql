-- AlterTable
ALTER TABLE "applications" ADD COLUMN "call_end_push" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "call_end_voip" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "missed_call_push" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "missed_call_badge" BOOLEAN NOT NULL DEFAULT false;
