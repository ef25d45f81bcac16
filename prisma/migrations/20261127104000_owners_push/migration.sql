-- AlterTable
ALTER TABLE "push_credentials" ADD COLUMN     "refused_reason" TEXT,
ADD COLUMN     "refused_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "push_events" ADD COLUMN     "stopped_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "push_deliveries_event_id_outcome_id_idx" ON "push_deliveries"("event_id", "outcome", "id");

-- CreateIndex: events of an application by kind and state. The expression is STATE in
-- src/push/events/event-list-queries.ts.
CREATE INDEX "push_events_state" ON "push_events"("application_id", "kind", (CASE
    WHEN "next_run_at" IS NOT NULL THEN 'SCHEDULED'
    WHEN "expanded_to" IS NOT NULL
      OR "delivery_count" > "accepted_count" + "gone_count" + "refused_count" THEN 'SENDING'
    ELSE 'FINISHED' END), "id");

-- CreateIndex: idempotency keys of owners, whose events have no user.
CREATE UNIQUE INDEX "push_events_owner_key" ON "push_events"("application_id", "idempotency_key", "channel")
    WHERE "user_id" IS NULL AND "idempotency_key" IS NOT NULL;
