-- AlterTable: 0 keeps a conference until it is closed, as those of before, and those that older nodes make.
ALTER TABLE "conferences" ADD COLUMN "closes_at" TIMESTAMPTZ(3), ADD COLUMN "empty_after_seconds" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex: Prisma cannot express the condition. Those that are due.
CREATE INDEX "conferences_closes_at_idx" ON "conferences"("closes_at") WHERE "closed_at" IS NULL AND "closes_at" IS NOT NULL;
