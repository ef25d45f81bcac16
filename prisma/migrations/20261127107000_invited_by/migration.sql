-- AlterTable
ALTER TABLE "account_invitations" ADD COLUMN "invited_by" BIGINT;

-- CreateIndex
CREATE INDEX "account_invitations_invited_by_idx" ON "account_invitations"("invited_by");

-- AddForeignKey
ALTER TABLE "account_invitations" ADD CONSTRAINT "account_invitations_invited_by_fkey" FOREIGN KEY ("invited_by") REFERENCES "account_members"("id") ON DELETE CASCADE ON UPDATE CASCADE;
