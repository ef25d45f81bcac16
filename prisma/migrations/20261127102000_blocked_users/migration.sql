-- AlterTable: without a default, so that no row is rewritten.
ALTER TABLE "users" ADD COLUMN "blocked_at" TIMESTAMPTZ(3), ADD COLUMN "block_reason" TEXT;

-- CreateIndex: blocked users and guests are few, so that these indexes stay small. Prisma cannot express them.
CREATE INDEX "users_blocked_idx" ON "users"("application_id", "id") WHERE "blocked_at" IS NOT NULL;
CREATE INDEX "users_guests_idx" ON "users"("application_id", "id") WHERE "is_guest";

-- CreateIndex: a user's sessions by id. It also serves the look-ups of the index that it replaces.
CREATE INDEX "sessions_user_id_id_idx" ON "sessions"("user_id", "id");
DROP INDEX "sessions_user_id_idx";
