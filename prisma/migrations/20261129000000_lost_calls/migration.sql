-- AlterEnum
ALTER TYPE "call_state" ADD VALUE 'lost';

-- AlterTable
ALTER TABLE "calls" ADD COLUMN "unreachable_since" TIMESTAMPTZ(3);

-- The accepted calls, whose devices the service checks. Prisma cannot express it.
CREATE INDEX "calls_accepted_idx" ON "calls"("id") WHERE "state" = 'accepted';
