-- AlterTable: the default is for nodes that are older than the column.
ALTER TABLE "conference_guests" ADD COLUMN "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '24:00:00'::interval);

-- AlterTable
ALTER TABLE "conference_links" ADD COLUMN "created_by" BIGINT, ADD COLUMN "created_by_member" BIGINT;

-- Links of before belong to the creators of their conferences. If that user has been erased or is blocked, the link has
-- no creator and admits nobody.
UPDATE "conference_links" l SET "created_by" = u."id" FROM "conferences" c JOIN "users" u ON u."id" = c."created_by"
  WHERE c."id" = l."conference_id" AND u."blocked_at" IS NULL;

-- Tokens of before live as long as if they had been made now: 24 hours, not longer than their link, and not at all
-- if the link admits nobody.
UPDATE "conference_guests" g SET "expires_at" = CASE WHEN l."created_by" IS NULL THEN now()
    ELSE least(l."expires_at", g."created_at" + interval '24 hours') END
  FROM "conference_links" l WHERE l."id" = g."link_id";

-- CreateIndex
CREATE INDEX "conference_guests_expires_at_idx" ON "conference_guests"("expires_at");

-- CreateIndex
CREATE INDEX "conference_links_created_by_idx" ON "conference_links"("created_by");

-- CreateIndex
CREATE INDEX "conference_links_created_by_member_idx" ON "conference_links"("created_by_member");

-- AddForeignKey
ALTER TABLE "conference_links" ADD CONSTRAINT "conference_links_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_links" ADD CONSTRAINT "conference_links_created_by_member_fkey" FOREIGN KEY ("created_by_member") REFERENCES "account_members"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A link has one creator at most. Prisma cannot express it.
ALTER TABLE "conference_links" ADD CONSTRAINT "conference_links_creator_check" CHECK (num_nonnulls("created_by", "created_by_member") <= 1);
