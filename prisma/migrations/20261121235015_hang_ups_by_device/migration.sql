-- AlterTable
ALTER TABLE "call_participants" ADD COLUMN     "hang_ups" JSONB;
