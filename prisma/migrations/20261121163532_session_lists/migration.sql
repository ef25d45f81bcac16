-- DropIndex
DROP INDEX "sessions_application_id_idx";

-- CreateIndex
CREATE INDEX "sessions_application_id_id_idx" ON "sessions"("application_id", "id");
