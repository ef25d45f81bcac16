-- AlterTable
ALTER TABLE "calls" ADD COLUMN     "ended_by_member_at" TIMESTAMPTZ(3);
