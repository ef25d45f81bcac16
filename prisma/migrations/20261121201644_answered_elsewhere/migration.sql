-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "answered_elsewhere" BOOLEAN NOT NULL DEFAULT false;
