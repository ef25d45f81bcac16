-- CreateEnum
CREATE TYPE "call_signal_kind" AS ENUM ('call', 'accept', 'reject', 'hangUp', 'iceCandidates', 'update', 'iceRestart', 'iceRestartAccept', 'other');

-- AlterTable
ALTER TABLE "call_participants" ADD COLUMN     "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "calls" ADD COLUMN     "signals_truncated" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "call_signals" (
    "call_id" BIGINT NOT NULL,
    "key" UUID NOT NULL,
    "kind" "call_signal_kind" NOT NULL,
    "from_user_id" BIGINT,
    "from_device" TEXT,
    "to_user_id" BIGINT,
    "to_device" TEXT,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "call_signals_pkey" PRIMARY KEY ("call_id","key")
);

-- The copies of calls that are recorded already, before the index has entries to replace.
UPDATE "call_participants" p SET "started_at" = c."started_at" FROM "calls" c WHERE c."id" = p."call_id";

-- CreateIndex
CREATE INDEX "call_participants_user_id_started_at_call_id_idx" ON "call_participants"("user_id", "started_at", "call_id");

-- CreateIndex
CREATE INDEX "calls_application_id_state_started_at_id_idx" ON "calls"("application_id", "state", "started_at", "id");

-- AddForeignKey
ALTER TABLE "call_signals" ADD CONSTRAINT "call_signals_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex: Prisma cannot express the expressions and conditions. The lists of an application's conferences, open or
-- closed, by id and by name, and those with members.
CREATE INDEX "conferences_open_id_idx" ON "conferences"("application_id", "id") WHERE "closed_at" IS NULL;
CREATE INDEX "conferences_closed_id_idx" ON "conferences"("application_id", "id") WHERE "closed_at" IS NOT NULL;
CREATE INDEX "conferences_open_lower_name_idx" ON "conferences"("application_id", (lower("name") COLLATE "C"), "id") WHERE "closed_at" IS NULL;
CREATE INDEX "conferences_closed_lower_name_idx" ON "conferences"("application_id", (lower("name") COLLATE "C"), "id") WHERE "closed_at" IS NOT NULL;
CREATE INDEX "conferences_live_idx" ON "conferences"("application_id", "id") WHERE "closed_at" IS NULL AND "empty_since" IS NULL;
