-- CreateEnum
CREATE TYPE "account_role" AS ENUM ('support', 'developer', 'owner');

-- CreateTable
CREATE TABLE "account_members" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" "account_role" NOT NULL,
    "last_activity_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_members_pkey" PRIMARY KEY ("id")
);

-- Each account's e-mail address and password become those of a member with role owner. An address without a password
-- could not sign in; such an account has no owner, as one without an address.
INSERT INTO "account_members" ("account_id", "email", "password_hash", "role", "last_activity_at", "created_at")
SELECT a."id", lower(a."email"), a."password_hash", 'owner',
    (SELECT max(s."last_activity_at") FROM "account_sessions" s WHERE s."account_id" = a."id"), a."created_at"
FROM "accounts" a WHERE a."email" IS NOT NULL AND a."password_hash" IS NOT NULL ORDER BY a."id";

-- Sessions belong to the owner; those of accounts without an owner end.
ALTER TABLE "account_sessions" ADD COLUMN "member_id" BIGINT;
UPDATE "account_sessions" s SET "member_id" = m."id" FROM "account_members" m WHERE m."account_id" = s."account_id";
DELETE FROM "account_sessions" WHERE "member_id" IS NULL;

-- DropForeignKey
ALTER TABLE "account_sessions" DROP CONSTRAINT "account_sessions_account_id_fkey";

-- DropIndex
DROP INDEX "account_sessions_account_id_idx";

-- DropIndex
DROP INDEX "accounts_email_key";

-- AlterTable
ALTER TABLE "account_sessions" DROP COLUMN "account_id",
ALTER COLUMN "member_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "accounts" DROP COLUMN "email",
DROP COLUMN "password_hash";

-- CreateIndex
CREATE UNIQUE INDEX "account_members_email_key" ON "account_members"("email");

-- CreateIndex
CREATE INDEX "account_members_account_id_id_idx" ON "account_members"("account_id", "id");

-- CreateIndex
CREATE INDEX "account_sessions_member_id_idx" ON "account_sessions"("member_id");

-- AddForeignKey
ALTER TABLE "account_members" ADD CONSTRAINT "account_members_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_sessions" ADD CONSTRAINT "account_sessions_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "account_members"("id") ON DELETE CASCADE ON UPDATE CASCADE;
