-- AlterTable
ALTER TABLE "conference_members" ADD COLUMN     "audio_blocked" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "video_blocked" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "conference_members_conference_id_number_id_idx" ON "conference_members"("conference_id", "number", "id");
