import type { Statement } from "../../store/store";
import type { PushDeps } from "../deps/push-deps";

/** Interval between purges, in seconds. */
export const PURGE_INTERVAL_SECONDS = 3600;
const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

const OLD: Statement = {
  name: "old_push_events",
  text: `SELECT id, updated_at FROM push_events WHERE dispatched_at <= $1 AND expanded_to IS NULL
    ORDER BY dispatched_at LIMIT 1`,
};

/** An event's deliveries age in id order, so only the first batch is inspected. */
const PURGE: Statement = {
  name: "purge_push_deliveries",
  text: `DELETE FROM push_deliveries WHERE id = ANY(ARRAY(
      SELECT f.id FROM (SELECT id, created_at FROM push_deliveries WHERE event_id = $1
        ORDER BY id LIMIT ${BATCH} FOR UPDATE) f
      WHERE f.created_at <= $2)) RETURNING 1 AS one`,
};

/**
 * Moves the event on to its oldest remaining delivery. Does nothing if the event was dispatched again in
 * the meantime; the next pass then finds it again.
 */
const PURGED: Statement = {
  name: "purged_push_event",
  text: `UPDATE push_events SET dispatched_at = (SELECT created_at FROM push_deliveries
      WHERE event_id = $1 ORDER BY id LIMIT 1)
    WHERE id = $1 AND expanded_to IS NULL AND updated_at = $2`,
};

/**
 * Deletes deliveries older than PUSH_RETENTION_DAYS; the events keep their counts. Idempotent, and safe to
 * interrupt or run concurrently.
 */
export async function purgeDeliveries(push: PushDeps): Promise<void> {
  const { store, clock, config } = push;
  const before = new Date(clock.now() - config.PUSH_RETENTION_DAYS * DAY_MS);
  for (;;) {
    const [event] = await store.query<{ id: number; updated_at: Date }>(OLD, [before]);
    if (!event) return;
    for (let deleted = BATCH; deleted === BATCH; ) {
      deleted = (await store.query(PURGE, [event.id, before])).length;
    }
    await store.query(PURGED, [event.id, event.updated_at]);
  }
}
