-- CreateEnum
CREATE TYPE "conference_access" AS ENUM ('everyone', 'listed');

-- CreateEnum
CREATE TYPE "conference_origin" AS ENUM ('graphql', 'legacy');

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "conferences_on_join" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "conferences" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "seats" INTEGER NOT NULL,
    "video" BOOLEAN NOT NULL,
    "access" "conference_access" NOT NULL,
    "origin" "conference_origin" NOT NULL,
    "locked" BOOLEAN NOT NULL DEFAULT false,
    "bitrate" INTEGER NOT NULL,
    "created_by" BIGINT,
    "engine" TEXT,
    "engine_state" JSONB,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "host" TEXT,
    "sequence" BIGINT NOT NULL DEFAULT 0,
    "empty_since" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "conferences_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conference_nodes" (
    "id" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conference_nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conference_users" (
    "conference_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "moderator" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "conference_users_pkey" PRIMARY KEY ("conference_id","user_id")
);

-- CreateTable
CREATE TABLE "conference_links" (
    "id" BIGSERIAL NOT NULL,
    "conference_id" BIGINT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "max_uses" INTEGER NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conference_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conference_guests" (
    "id" BIGINT NOT NULL,
    "conference_id" BIGINT NOT NULL,
    "link_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conference_guests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conference_members" (
    "id" BIGSERIAL NOT NULL,
    "conference_id" BIGINT NOT NULL,
    "number" BIGINT NOT NULL,
    "user_id" BIGINT,
    "name" TEXT NOT NULL,
    "device" TEXT NOT NULL,
    "session_id" BIGINT,
    "moderator" BOOLEAN NOT NULL DEFAULT false,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "publishing" BOOLEAN NOT NULL DEFAULT false,
    "screen" BOOLEAN NOT NULL DEFAULT false,
    "audio_muted" BOOLEAN,
    "video_muted" BOOLEAN,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "left_at" TIMESTAMPTZ(3),
    "leave_reason" TEXT,

    CONSTRAINT "conference_members_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "conferences_application_id_id_idx" ON "conferences"("application_id", "id");

-- CreateIndex
CREATE INDEX "conferences_created_by_idx" ON "conferences"("created_by");

-- CreateIndex
CREATE INDEX "conferences_host_idx" ON "conferences"("host");

-- CreateIndex
CREATE INDEX "conference_users_user_id_idx" ON "conference_users"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "conference_links_secret_hash_key" ON "conference_links"("secret_hash");

-- CreateIndex
CREATE INDEX "conference_links_conference_id_idx" ON "conference_links"("conference_id");

-- CreateIndex
CREATE UNIQUE INDEX "conference_guests_token_hash_key" ON "conference_guests"("token_hash");

-- CreateIndex
CREATE INDEX "conference_guests_conference_id_idx" ON "conference_guests"("conference_id");

-- CreateIndex
CREATE INDEX "conference_guests_link_id_idx" ON "conference_guests"("link_id");

-- CreateIndex
CREATE INDEX "conference_members_conference_id_id_idx" ON "conference_members"("conference_id", "id");

-- CreateIndex
CREATE INDEX "conference_members_user_id_id_idx" ON "conference_members"("user_id", "id");

-- AddForeignKey
ALTER TABLE "conferences" ADD CONSTRAINT "conferences_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conferences" ADD CONSTRAINT "conferences_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_users" ADD CONSTRAINT "conference_users_conference_id_fkey" FOREIGN KEY ("conference_id") REFERENCES "conferences"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_users" ADD CONSTRAINT "conference_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_links" ADD CONSTRAINT "conference_links_conference_id_fkey" FOREIGN KEY ("conference_id") REFERENCES "conferences"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_guests" ADD CONSTRAINT "conference_guests_conference_id_fkey" FOREIGN KEY ("conference_id") REFERENCES "conferences"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_guests" ADD CONSTRAINT "conference_guests_link_id_fkey" FOREIGN KEY ("link_id") REFERENCES "conference_links"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_members" ADD CONSTRAINT "conference_members_conference_id_fkey" FOREIGN KEY ("conference_id") REFERENCES "conferences"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conference_members" ADD CONSTRAINT "conference_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex: Prisma cannot express the conditions. A name is free again once its conference is closed, and a seat
-- once its member has left.
CREATE UNIQUE INDEX "conferences_open_name_key" ON "conferences"("application_id", "name") WHERE "closed_at" IS NULL;
CREATE INDEX "conferences_closed_at_idx" ON "conferences"("closed_at") WHERE "closed_at" IS NOT NULL;
CREATE INDEX "conferences_empty_idx" ON "conferences"("empty_since") WHERE "closed_at" IS NULL AND "origin" = 'legacy';
CREATE UNIQUE INDEX "conference_members_seat_key" ON "conference_members"("conference_id", "number") WHERE "left_at" IS NULL;
