import type { Statement } from "../../store/store";
import type { Push } from "../push";

/** Seconds between two purges. */
export const PURGE_SECONDS = 3600;
const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

const OLD: Statement = {
  name: "old_push_events",
  text: `SELECT id, updated_at FROM push_events WHERE dispatched_at <= $1 AND expanded_to IS NULL
    ORDER BY dispatched_at LIMIT 1`,
};

/** An event's deliveries are as old as they stand: the first of them are looked at, and no more. */
const PURGE: Statement = {
  name: "purge_push_deliveries",
  text: `DELETE FROM push_deliveries WHERE id = ANY(ARRAY(
      SELECT f.id FROM (SELECT id, created_at FROM push_deliveries WHERE event_id = $1
        ORDER BY id LIMIT ${BATCH} FOR UPDATE) f
      WHERE f.created_at <= $2)) RETURNING 1 AS one`,
};

/**
 * Of an event that was dispatched once more meanwhile nothing is noted, since what it has now was not
 * looked at. It is found again.
 */
const PURGED: Statement = {
  name: "purged_push_event",
  text: `UPDATE push_events SET dispatched_at = (SELECT created_at FROM push_deliveries
      WHERE event_id = $1 ORDER BY id LIMIT 1)
    WHERE id = $1 AND expanded_to IS NULL AND updated_at = $2`,
};

/**
 * Deletes deliveries that were written PUSH_KEEP_DAYS ago; the events stay with their counts. It may be
 * interrupted, repeated and run beside another.
 */
export async function purgeDeliveries({ identity }: Push): Promise<void> {
  const { store, clock, config } = identity;
  const before = new Date(clock.now() - config.PUSH_KEEP_DAYS * DAY_MS);
  for (;;) {
    const [event] = await store.query<{ id: number; updated_at: Date }>(OLD, [before]);
    if (!event) return;
    for (let deleted = BATCH; deleted === BATCH; ) {
      deleted = (await store.query(PURGE, [event.id, before])).length;
    }
    await store.query(PURGED, [event.id, event.updated_at]);
  }
}
