-- AlterTable: null for a member that has joined once.
ALTER TABLE "conference_members" ADD COLUMN "first_joined_at" TIMESTAMPTZ(3);
