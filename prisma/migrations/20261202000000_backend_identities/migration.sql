-- AlterTable
ALTER TABLE "applications" ADD COLUMN "server_sessions_reach_signed_up_users" BOOLEAN NOT NULL DEFAULT false;

-- Where sessions of the backend created users before, they also reached users who had signed up: that stays as it was.
UPDATE "applications" SET "server_sessions_reach_signed_up_users" = true WHERE "server_sessions_create_users";
