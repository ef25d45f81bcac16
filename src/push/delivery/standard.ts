import type { Enqueue } from "../../jobs/jobs";
import type { Statement, Transaction } from "../../store/store";
import type { PushChannel } from "../channel";
import { WINDOW } from "../event/audience";
import { JOBS } from "../push";
import { DELIVER_OPTIONS, type DeliverJob } from "./expand";

/** An event whose deliveries found devices gone. */
export interface VoipEvent {
  id: number;
  channel: PushChannel;
  universal: boolean;
  /** The event of the standard channel; null where nobody was to be reached by it. */
  standard_id: number | null;
}

/** Devices of a user `u` whom no VoIP push of an event `e` reaches any more. */
const DEVICES = `SELECT s.id FROM push_subscriptions s WHERE s.user_id = u.id
    AND s.channel = 'apns' AND s.environment = e.environment
    AND NOT EXISTS (SELECT 1 FROM push_subscriptions v WHERE v.user_id = u.id
      AND v.channel = 'apns_voip' AND v.environment = e.environment) OFFSET 0`;

/**
 * Where there is anybody to reach. It is over as soon as it is written: of what is still to come there
 * is one from the beginning. $1 the VoIP push, $2 now, $3 the users.
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

/** Its deliveries are written by one at a time. */
const LOCK: Statement = {
  name: "lock_standard_push_event",
  text: "SELECT id FROM push_events WHERE id = $1 FOR NO KEY UPDATE",
};

/** $1 the event, $2 the users, $3 the dispatch, $4 now. Whoever it reached before is not reached twice. */
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
 * Sends the standard push to users whose last VoIP token turned out to be worthless, in the transaction
 * that deletes it: a user with such a subscription was left out of the standard channel.
 * @param users whose subscriptions were deleted
 * @param occurrence which dispatch of the event
 */
export async function sendStandard(
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
  // Nobody is reached by it, or its sender deleted it.
  if (!event) return;
  const rows = await query<{ id: number }>(WRITE, [event.id, users, occurrence, now]);
  if (rows.length === 0) return;
  await query(COUNT, [event.id, rows.length, now]);
  for (let from = 0; from < rows.length; from += WINDOW) {
    const deliveries = rows.slice(from, from + WINDOW).map(({ id }) => id);
    const batch: DeliverJob = { event: event.id, deliveries, attempts: 0 };
    await enqueue(JOBS.deliver, batch, DELIVER_OPTIONS);
  }
}
