-- CreateEnum
CREATE TYPE "call_answer" AS ENUM ('accept', 'decline', 'busy', 'unsupported');

-- DropIndex
DROP INDEX "calls_application_id_session_id_key";

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "wake_after_seconds" INTEGER NOT NULL DEFAULT 10,
ADD COLUMN     "wake_environment" "push_environment" NOT NULL DEFAULT 'production',
ADD COLUMN     "wake_phones" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "call_participants" ADD COLUMN     "answer" "call_answer",
ADD COLUMN     "answered_at" TIMESTAMPTZ(3),
ADD COLUMN     "device" TEXT,
ADD COLUMN     "dropped_at" TIMESTAMPTZ(3),
ADD COLUMN     "expired_at" TIMESTAMPTZ(3),
ADD COLUMN     "left_at" TIMESTAMPTZ(3),
ADD COLUMN     "missed_at" TIMESTAMPTZ(3),
ADD COLUMN     "rang_at" TIMESTAMPTZ(3),
ADD COLUMN     "session_id" TEXT,
ADD COLUMN     "woken_at" TIMESTAMPTZ(3);

-- What was recorded before has its times and its name from the call.
UPDATE "call_participants" p SET "rang_at" = c."started_at", "session_id" = c."session_id"
  FROM "calls" c WHERE c."id" = p."call_id";
ALTER TABLE "call_participants" ALTER COLUMN "rang_at" SET NOT NULL,
ALTER COLUMN "session_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "push_events" ADD COLUMN     "call_id" BIGINT,
ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "call_participants_user_id_session_id_call_id_idx" ON "call_participants"("user_id", "session_id", "call_id");

-- CreateIndex
CREATE INDEX "call_participants_missed_at_idx" ON "call_participants"("missed_at");

-- CreateIndex
CREATE INDEX "calls_started_at_idx" ON "calls"("started_at");

-- CreateIndex
CREATE UNIQUE INDEX "calls_application_id_session_id_caller_id_key" ON "calls"("application_id", "session_id", "caller_id");

-- CreateIndex
CREATE INDEX "push_events_call_id_idx" ON "push_events"("call_id");

-- AddForeignKey
ALTER TABLE "push_events" ADD CONSTRAINT "push_events_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls"("id") ON DELETE CASCADE ON UPDATE CASCADE;
