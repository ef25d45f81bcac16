-- AlterTable
ALTER TABLE "applications" ADD COLUMN "missed_call_push" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "missed_call_badge" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "call_participants" ADD COLUMN "missed_push_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "users" ADD COLUMN "calls_seen_at" TIMESTAMPTZ(3);
