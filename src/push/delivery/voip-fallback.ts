import type { Enqueue } from "../../jobs/jobs";
import type { Statement, Transaction } from "../../store/store";
import type { PushChannel } from "../channels/channel";
import { JOBS } from "../deps/push-deps";
import { WINDOW_SIZE } from "../events/recipient-windows";
import { DELIVER_OPTIONS, type DeliverJob } from "./fan-out";

/** An event with deliveries to unregistered devices. */
export interface VoipEvent {
  id: number;
  channel: PushChannel;
  universal: boolean;
  /** The event of the standard channel; null if it does not exist because it had no recipients. */
  standard_id: number | null;
}

/** Standard-channel devices of a user `u` who has no VoIP subscription left for an event `e`. */
const DEVICES = `SELECT s.id FROM push_subscriptions s WHERE s.user_id = u.id
    AND s.channel = 'apns' AND s.environment = e.environment
    AND NOT EXISTS (SELECT 1 FROM push_subscriptions v WHERE v.user_id = u.id
      AND v.channel = 'apns_voip' AND v.environment = e.environment) OFFSET 0`;

/**
 * Creates the standard event if it has recipients. Inserted as finished (active = false): future
 * occurrences already have a standard event of their own. $1 the VoIP event, $2 now, $3 user ids.
 */
const CREATE: Statement = {
  name: "create_standard_push_event",
  text: `WITH made AS (INSERT INTO push_events (application_id, user_id, event_type, channel, environment,
      message, name, date, end_date, period, selector, tag_query, universal, kind, call_id,
      withdrawn_at, occured_count, active, created_at, updated_at)
    SELECT application_id, user_id, event_type, 'apns', environment, message, name, date, end_date,
      period, selector, tag_query, universal, kind, call_id, withdrawn_at, occured_count, false, $2, $2
    FROM push_events e WHERE e.id = $1
      AND EXISTS (SELECT 1 FROM unnest($3::bigint[]) AS u(id) CROSS JOIN LATERAL (${DEVICES}) s)
    RETURNING id)
    UPDATE push_events e SET standard_id = made.id FROM made WHERE e.id = $1
    RETURNING made.id`,
};

/** Serializes writers of the event's deliveries. */
const LOCK: Statement = {
  name: "lock_standard_push_event",
  text: "SELECT id FROM push_events WHERE id = $1 FOR NO KEY UPDATE",
};

/** $1 the event, $2 user ids, $3 the dispatch, $4 now. Skips devices that already have a delivery. */
const WRITE: Statement = {
  name: "write_standard_push",
  text: `INSERT INTO push_deliveries
      (event_id, subscription_id, occurrence, due_at, created_at, updated_at)
    SELECT e.id, s.id, $3::int, $4::timestamptz, $4::timestamptz, $4::timestamptz
    FROM push_events e CROSS JOIN unnest($2::bigint[]) AS u(id)
    CROSS JOIN LATERAL (${DEVICES}) s
    WHERE e.id = $1 ORDER BY s.id ON CONFLICT DO NOTHING RETURNING id`,
};

const COUNT: Statement = {
  name: "count_standard_push",
  text: `UPDATE push_events SET delivery_count = delivery_count + $2,
      dispatched_at = coalesce(dispatched_at, $3), updated_at = $3 WHERE id = $1`,
};

/**
 * Falls back to the standard push for users whose last VoIP subscription was deleted, in the transaction
 * that deletes it. Users with a VoIP subscription are excluded from the standard channel.
 * @param users ids of users whose subscriptions were deleted
 * @param occurrence index of the event's dispatch
 */
export async function sendVoipFallback(
  { query }: Pick<Transaction, "query">,
  enqueue: Enqueue,
  voip: VoipEvent,
  { users, occurrence, now }: { users: number[]; occurrence: number; now: Date },
): Promise<void> {
  if (voip.channel !== "apns_voip" || !voip.universal || users.length === 0) return;
  const [event] =
    voip.standard_id === null
      ? await query<{ id: number }>(CREATE, [voip.id, now, users])
      : await query<{ id: number }>(LOCK, [voip.standard_id]);
  // It has no recipients, or its sender deleted it.
  if (!event) return;
  const rows = await query<{ id: number }>(WRITE, [event.id, users, occurrence, now]);
  if (rows.length === 0) return;
  await query(COUNT, [event.id, rows.length, now]);
  for (let from = 0; from < rows.length; from += WINDOW_SIZE) {
    const deliveries = rows.slice(from, from + WINDOW_SIZE).map(({ id }) => id);
    const batch: DeliverJob = { event: event.id, deliveries, attempts: 0 };
    await enqueue(JOBS.deliver, batch, DELIVER_OPTIONS);
  }
}
