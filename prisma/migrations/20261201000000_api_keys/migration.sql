-- CreateEnum
CREATE TYPE "api_key_scope" AS ENUM ('sessions', 'users', 'push');

-- CreateTable
CREATE TABLE "api_keys" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "scopes" "api_key_scope"[],
    "expires_at" TIMESTAMPTZ(3),
    "created_by" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "consumed_jwts" (
    "application_id" BIGINT NOT NULL,
    "jti_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "consumed_jwts_pkey" PRIMARY KEY ("application_id","jti_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_created_by_idx" ON "api_keys"("created_by");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_application_id_name_key" ON "api_keys"("application_id", "name");

-- CreateIndex
CREATE INDEX "consumed_jwts_expires_at_idx" ON "consumed_jwts"("expires_at");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "account_members"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "consumed_jwts" ADD CONSTRAINT "consumed_jwts_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "applications" ADD COLUMN "server_sessions_create_users" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN "api_key_id" BIGINT,
ADD COLUMN "api_key_name" TEXT;
