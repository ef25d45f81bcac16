-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "email_needs_password" BOOLEAN NOT NULL DEFAULT false;
