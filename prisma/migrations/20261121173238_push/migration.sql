-- CreateEnum
CREATE TYPE "push_senders" AS ENUM ('users', 'members', 'nobody');

-- CreateEnum
CREATE TYPE "push_service" AS ENUM ('apns', 'fcm', 'web');

-- DropForeignKey
ALTER TABLE "push_deliveries" DROP CONSTRAINT "push_deliveries_subscription_id_fkey";

-- DropIndex
DROP INDEX "push_deliveries_event_id_subscription_id_occurrence_key";

-- DropIndex
DROP INDEX "push_deliveries_outcome_due_at_idx";

-- DropIndex
DROP INDEX "push_deliveries_subscription_id_idx";

-- DropIndex
DROP INDEX "push_events_active_next_run_at_idx";

-- DropIndex
DROP INDEX "push_events_application_id_idx";

-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "push_senders" "push_senders" NOT NULL DEFAULT 'users';

-- AlterTable
DELETE FROM "push_deliveries" WHERE "subscription_id" IS NULL;
ALTER TABLE "push_deliveries" ALTER COLUMN "subscription_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "push_events" ADD COLUMN     "accepted_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "delivery_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "dispatched_at" TIMESTAMPTZ(3),
ADD COLUMN     "expanded_sub" BIGINT,
ADD COLUMN     "gone_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "refused_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "request_hash" BYTEA,
ADD COLUMN     "universal" BOOLEAN NOT NULL DEFAULT false,
ALTER COLUMN "user_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "push_credentials" (
    "id" BIGSERIAL NOT NULL,
    "application_id" BIGINT NOT NULL,
    "environment" "push_environment" NOT NULL,
    "service" "push_service" NOT NULL,
    "settings" JSONB NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "push_credentials_application_id_environment_service_key" ON "push_credentials"("application_id", "environment", "service");

-- CreateIndex
CREATE UNIQUE INDEX "push_deliveries_subscription_id_event_id_occurrence_key" ON "push_deliveries"("subscription_id", "event_id", "occurrence");

-- CreateIndex
CREATE INDEX "push_deliveries_event_id_id_idx" ON "push_deliveries"("event_id", "id");

-- CreateIndex
CREATE INDEX "push_events_application_id_id_idx" ON "push_events"("application_id", "id");

-- CreateIndex
CREATE INDEX "push_events_next_run_at_idx" ON "push_events"("next_run_at");

-- CreateIndex
CREATE INDEX "push_events_dispatched_at_idx" ON "push_events"("dispatched_at");

-- AddForeignKey
ALTER TABLE "push_credentials" ADD CONSTRAINT "push_credentials_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
