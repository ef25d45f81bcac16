-- CreateEnum
CREATE TYPE "session_origin" AS ENUM ('client', 'api_key', 'jwt');

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "origin" "session_origin" NOT NULL DEFAULT 'client',
ADD COLUMN "api_key_id" BIGINT;

-- The sessions that end with a revoked key.
CREATE INDEX "sessions_api_key_id_idx" ON "sessions"("api_key_id", "id") WHERE "api_key_id" IS NOT NULL;
