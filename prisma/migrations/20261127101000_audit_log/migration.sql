-- CreateEnum
CREATE TYPE "audit_outcome" AS ENUM ('started', 'succeeded', 'failed');

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "application_id" BIGINT,
    "member_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "account_role" NOT NULL,
    "action" TEXT NOT NULL,
    "targets" JSONB NOT NULL,
    "fields" JSONB NOT NULL,
    "outcome" "audit_outcome" NOT NULL DEFAULT 'started',
    "error_code" TEXT,
    "ip" TEXT NOT NULL,
    "user_agent" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entries_account_id_created_at_id_idx" ON "audit_entries"("account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_account_id_application_id_created_at_id_idx" ON "audit_entries"("account_id", "application_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_account_id_member_id_created_at_id_idx" ON "audit_entries"("account_id", "member_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_account_id_action_created_at_id_idx" ON "audit_entries"("account_id", "action", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_created_at_idx" ON "audit_entries"("created_at");

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
