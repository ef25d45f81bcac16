-- Names are unique only among the open conferences for everyone. Prisma cannot express it.
CREATE UNIQUE INDEX "conferences_everyone_name_key" ON "conferences"("application_id", "name")
  WHERE "closed_at" IS NULL AND "access" = 'everyone';
DROP INDEX "conferences_open_name_key";
