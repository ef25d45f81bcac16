-- CreateIndex: Prisma cannot express the conditions. What a user has open and where it has a seat are counted, however
-- long its history is.
CREATE INDEX "conferences_open_created_by_idx" ON "conferences"("created_by") WHERE "closed_at" IS NULL;
CREATE INDEX "conference_members_seats_of_user_idx" ON "conference_members"("user_id") WHERE "left_at" IS NULL;
