-- AlterTable
ALTER TABLE "applications" ADD COLUMN "new_calls_per_minute" INTEGER;
