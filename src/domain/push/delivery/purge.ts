import type { PushDeps } from "../deps/push-deps";
import { findEventToPurge, recordPurge } from "../events/dispatch-queries";
import { PURGE_MAX, purgeDeliveriesOfEvent } from "./delivery-queries";

/** Interval between purges, in seconds. */
export const PURGE_INTERVAL_SECONDS = 3600;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes deliveries older than PUSH_RETENTION_DAYS; the events keep their counts. Idempotent, and safe to
 * interrupt or run concurrently.
 */
export async function purgeDeliveries(push: PushDeps): Promise<void> {
  const { clock, config } = push;
  const { query } = push.store;
  const before = new Date(clock.now() - config.PUSH_RETENTION_DAYS * DAY_MS);
  for (;;) {
    const event = await findEventToPurge(query, before);
    if (event === null) return;
    for (let deleted = PURGE_MAX; deleted === PURGE_MAX; ) {
      deleted = await purgeDeliveriesOfEvent(query, event.id, before);
    }
    await recordPurge(query, event);
  }
}
