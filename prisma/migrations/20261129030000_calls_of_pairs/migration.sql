-- AlterTable: null for the rows that exist, which count for no pair; they end with CALL_RETENTION_DAYS.
ALTER TABLE "call_participants" ADD COLUMN "caller_id" BIGINT;

-- The ended calls of a caller and a callee, newest first. Prisma cannot express it.
CREATE INDEX "call_participants_pair_idx" ON "call_participants"("caller_id", "user_id", "call_id")
  WHERE "caller_id" IS NOT NULL AND "state" NOT IN ('ringing', 'accepted');
