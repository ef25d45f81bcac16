-- AlterTable
ALTER TABLE "users" ADD COLUMN "calls_seen_at" TIMESTAMPTZ(3);
