-- CreateTable
CREATE TABLE "account_invitations" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "account_role" NOT NULL,
    "secret_hash" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_invitations_secret_hash_key" ON "account_invitations"("secret_hash");

-- CreateIndex
CREATE INDEX "account_invitations_expires_at_idx" ON "account_invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "account_invitations_account_id_email_key" ON "account_invitations"("account_id", "email");

-- AddForeignKey
ALTER TABLE "account_invitations" ADD CONSTRAINT "account_invitations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
