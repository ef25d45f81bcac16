import type { Statement, Store } from "../../../platform/store/store";
import { DEVICES_WITHOUT_VOIP } from "../devices/recipient-queries";

/**
 * Statements on push_events for the alert event of a VoIP event. A function takes `query` of the store or of a
 * transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/**
 * Creates the alert event if it has recipients. Inserted as finished (active = false): future
 * occurrences already have an alert event of their own. $1 the VoIP event, $2 now, $3 user ids.
 */
const CREATE_ALERT: Statement = {
  name: "create_alert_push_event",
  text: `WITH made AS (INSERT INTO push_events (application_id, user_id, event_type, channel, environment,
      message, name, date, end_date, period, selector, tag_query, universal, kind, call_id,
      withdrawn_at, occured_count, active, created_at, updated_at)
    SELECT application_id, user_id, event_type, 'apns', environment, message, name, date, end_date,
      period, selector, tag_query, universal, kind, call_id, withdrawn_at, occured_count, false, $2, $2
    FROM push_events e WHERE e.id = $1
      AND EXISTS (SELECT 1 FROM unnest($3::bigint[]) AS u(id) CROSS JOIN LATERAL (${DEVICES_WITHOUT_VOIP}) s)
    RETURNING id)
    UPDATE push_events e SET standard_id = made.id FROM made WHERE e.id = $1
    RETURNING made.id`,
};

const LOCK_ALERT: Statement = {
  name: "lock_alert_push_event",
  text: "SELECT id FROM push_events WHERE id = $1 FOR NO KEY UPDATE",
};

const COUNT_ALERT: Statement = {
  name: "count_alert_push",
  text: `UPDATE push_events SET delivery_count = delivery_count + $2,
      dispatched_at = coalesce(dispatched_at, $3), updated_at = $3 WHERE id = $1`,
};

/**
 * Creates the alert event of a VoIP event if one of the users has a device for it.
 * @returns its id; null without such a device
 */
export async function createAlertEvent(
  query: Store["query"],
  voipId: number,
  userIds: number[],
  now: Date,
): Promise<number | null> {
  const [row] = await query<{ id: number }>(CREATE_ALERT, [voipId, now, userIds]);
  return row?.id ?? null;
}

/** Serializes writers of an alert event's deliveries. @returns its id; null if it was deleted */
export async function lockAlertEvent(query: Store["query"], id: number): Promise<number | null> {
  const [row] = await query<{ id: number }>(LOCK_ALERT, [id]);
  return row?.id ?? null;
}

/** Counts new deliveries of an alert event. */
export async function countAlertDeliveries(
  query: Store["query"],
  id: number,
  deliveries: number,
  now: Date,
): Promise<void> {
  await query(COUNT_ALERT, [id, deliveries, now]);
}
