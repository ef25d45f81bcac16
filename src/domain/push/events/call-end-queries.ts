import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel } from "../channels/channel";

/**
 * Statements on push_events for the pushes that end a ring. A function takes `query` of a
 * transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** A withdrawn incoming-call push of one channel. */
export interface WithdrawnRing {
  id: number;
  applicationId: number;
  callId: number;
  userId: number;
  channel: PushChannel;
  /** The message as stored. */
  message: string;
  /** Whether a device may have got it: a delivery was accepted, or has no final outcome yet. */
  mayRing: boolean;
}

/** The event that ends the ring of an incoming-call push. */
export interface CallEndEvent {
  /** The incoming-call push. */
  ring: number;
  event: number;
}

/** Stops the fan-out of a push, and marks it so that pending deliveries are not sent. */
const WITHDRAW: Statement = {
  name: "withdraw_call_pushes",
  text: `UPDATE push_events e SET withdrawn_at = $2::timestamptz, updated_at = $2::timestamptz,
      active = false, expanded_to = NULL, expanded_sub = NULL,
      dispatched_at = coalesce(e.dispatched_at, $2::timestamptz)
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
    WHERE e.call_id = g.call_id AND e.kind = 'CALL' AND e.selector -> 'ids' = jsonb_build_array(g.user_id)
      AND e.withdrawn_at IS NULL
    RETURNING e.id, e.application_id, e.call_id, g.user_id, e.channel, e.message,
      e.delivery_count > e.gone_count + e.refused_count AS may_ring`,
};

/** Writes the ends as events whose fan-out is done, and notes each with the ring that it ends. */
const WRITE: Statement = {
  name: "write_call_ends",
  text: `WITH g AS MATERIALIZED (SELECT nextval('push_events_id_seq') AS id, r.ring, r.message
      FROM jsonb_to_recordset($1::text::jsonb) AS r(ring bigint, message text)),
    made AS (INSERT INTO push_events (id, application_id, event_type, channel, environment, message, selector,
        universal, occured_count, active, kind, call_id, dispatched_at, created_at, updated_at)
      SELECT g.id, e.application_id, 'one_shot', e.channel, e.environment, g.message, e.selector, true, 1, false,
        'CALL_END', e.call_id, $2::timestamptz, $2::timestamptz, $2::timestamptz
      FROM g JOIN push_events e ON e.id = g.ring),
    noted AS (UPDATE push_events e SET call_end_id = g.id FROM g WHERE e.id = g.ring)
    SELECT ring, id AS event FROM g`,
};

const COUNT: Statement = {
  name: "count_call_end_deliveries",
  text: `UPDATE push_events e SET delivery_count = e.delivery_count + g.count, updated_at = $2::timestamptz
    FROM jsonb_to_recordset($1::text::jsonb) AS g(event bigint, count integer) WHERE e.id = g.event`,
};

/**
 * Withdraws the incoming-call pushes to users for calls, and locks them: outcomes that are recorded from now on find the
 * event that ends the ring.
 * @returns those that had not been withdrawn
 */
export async function withdrawRings(
  query: Store["query"],
  callees: ReadonlyArray<{ callId: number; userId: number }>,
  now: Date,
): Promise<WithdrawnRing[]> {
  interface Row {
    id: number;
    application_id: number;
    call_id: number;
    user_id: number;
    channel: PushChannel;
    message: string;
    may_ring: boolean;
  }
  const keys = callees.map(({ callId, userId }) => ({ call_id: callId, user_id: userId }));
  const rows = await query<Row>(WITHDRAW, [JSON.stringify(keys), now]);
  return rows.map((row) => ({
    id: row.id,
    applicationId: row.application_id,
    callId: row.call_id,
    userId: row.user_id,
    channel: row.channel,
    message: row.message,
    mayRing: row.may_ring,
  }));
}

/** Writes the events that end rings. @param ends each with its message as stored */
export function insertCallEnds(
  query: Store["query"],
  ends: ReadonlyArray<{ ring: number; message: string }>,
  now: Date,
): Promise<CallEndEvent[]> {
  return query<CallEndEvent>(WRITE, [JSON.stringify(ends), now]);
}

/** Counts new deliveries of events that end rings. */
export async function countCallEndDeliveries(
  query: Store["query"],
  counts: ReadonlyArray<{ event: number; count: number }>,
  now: Date,
): Promise<void> {
  await query(COUNT, [JSON.stringify(counts), now]);
}
