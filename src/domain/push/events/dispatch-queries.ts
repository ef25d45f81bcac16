import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel } from "../channels/channel";
import { EVENT_COLUMNS, type EventRow, toEvent } from "./event-queries";
import type { PushEvent, PushEventKind } from "./push-event";

/**
 * Statements on push_events for their dispatches, from the schedule to the purge. A function takes `query`
 * of the store or of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Keyset position between windows: a recipient and one of the recipient's devices. */
export interface WindowPosition {
  /** Id of the recipient; with external ids its index in the list, from 1. */
  recipient: number;
  /** Id of the last subscription in the previous window. */
  subscription: number;
}

/** Position of the first window. */
export const FIRST_WINDOW: WindowPosition = { recipient: 0, subscription: 0 };

/** Maximum number of due events that one statement locks. */
export const DUE_MAX = 100;

/** An event that is locked for its fan-out. */
export interface FanningOutEvent extends PushEvent {
  /** The next window of the current dispatch; null if no dispatch is fanning out. */
  position: WindowPosition | null;
}

/** The schedule of an event that is due. */
export interface DueEvent {
  id: number;
  date: Date;
  period: number | null;
  endDate: Date | null;
  occurredCount: number;
}

/** The VoIP part of an event, from which its alert event is made. */
export interface VoipEvent {
  id: number;
  channel: PushChannel;
  universal: boolean;
  /** The event of the alert channel; null if it does not exist because it had no recipients. */
  alertId: number | null;
}

/** What follows from outcomes of an event. */
export interface CountedEvent extends VoipEvent {
  kind: PushEventKind;
  /** The event that ends the ring of a withdrawn incoming-call push; null without one. */
  callEndId: number | null;
}

const TO_DELIVER: Statement = {
  name: "push_event_to_deliver",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.id = $1`,
};

/** Skips events whose previous dispatch is still fanning out. */
const DUE: Statement = {
  name: "due_push_events",
  text: `SELECT id, date, period, end_date, next_run_at, occured_count FROM push_events
    WHERE next_run_at <= $1 AND expanded_to IS NULL ORDER BY next_run_at LIMIT ${DUE_MAX}
    FOR NO KEY UPDATE SKIP LOCKED`,
};

const BEGIN: Statement = {
  name: "begin_push_events",
  text: `UPDATE push_events e SET next_run_at = b.next, expanded_to = ${FIRST_WINDOW.recipient},
      expanded_sub = ${FIRST_WINDOW.subscription}, updated_at = $3
    FROM unnest($1::bigint[], $2::timestamptz[]) AS b(id, next) WHERE e.id = b.id`,
};

const END: Statement = {
  name: "end_push_events",
  text: `UPDATE push_events SET active = false, next_run_at = NULL, updated_at = $2
    WHERE id = ANY($1::bigint[])`,
};

/** Stops a user's events that still have something to do. Locks rows in id order. */
const STOP_ALL: Statement = {
  name: "stop_push_events",
  text: `UPDATE push_events SET active = false, next_run_at = NULL, expanded_to = NULL,
      expanded_sub = NULL, dispatched_at = coalesce(dispatched_at, $2),
      stopped_at = coalesce(stopped_at, $2), updated_at = $2
    WHERE id = ANY(ARRAY(SELECT e.id FROM push_events e WHERE e.user_id = $1
      AND (e.next_run_at IS NOT NULL OR e.expanded_to IS NOT NULL) ORDER BY e.id FOR NO KEY UPDATE))`,
};

const LOCK: Statement = {
  name: "lock_push_event",
  text: `SELECT ${EVENT_COLUMNS}, e.expanded_to, e.expanded_sub FROM push_events e
    WHERE e.id = $1 FOR NO KEY UPDATE`,
};

const MOVE: Statement = {
  name: "move_push_event",
  text: `UPDATE push_events SET expanded_to = $2, expanded_sub = $3,
      delivery_count = delivery_count + $4, updated_at = $5 WHERE id = $1`,
};

const FINISH: Statement = {
  name: "finish_push_event",
  text: `UPDATE push_events SET expanded_to = NULL, expanded_sub = NULL,
      delivery_count = delivery_count + $2, occured_count = occured_count + 1,
      active = active AND next_run_at IS NOT NULL, dispatched_at = coalesce(dispatched_at, $3), updated_at = $3
    WHERE id = $1`,
};

const HOLD: Statement = {
  name: "hold_push_event",
  text: "SELECT id FROM push_events WHERE id = $1 FOR KEY SHARE",
};

const COUNT: Statement = {
  name: "count_push_deliveries",
  text: `UPDATE push_events SET accepted_count = accepted_count + $2, gone_count = gone_count + $3,
      refused_count = refused_count + $4 WHERE id = $1 RETURNING id, channel, universal, standard_id, kind, call_end_id`,
};

const OLD: Statement = {
  name: "old_push_events",
  text: `SELECT id, updated_at FROM push_events WHERE dispatched_at <= $1 AND expanded_to IS NULL
    ORDER BY dispatched_at LIMIT 1`,
};

const PURGED: Statement = {
  name: "purged_push_event",
  text: `UPDATE push_events SET dispatched_at = (SELECT created_at FROM push_deliveries
      WHERE event_id = $1 ORDER BY id LIMIT 1)
    WHERE id = $1 AND expanded_to IS NULL AND updated_at = $2`,
};

/** Finds an event to deliver; null if it was deleted. */
export async function findEventToDeliver(
  query: Store["query"],
  id: number,
): Promise<PushEvent | null> {
  const [row] = await query<EventRow>(TO_DELIVER, [id]);
  return row ? toEvent(row) : null;
}

/** Stops the schedules and the running dispatches of a user. Deliveries that exist are still sent. */
export async function stopEventsOfUser(
  query: Store["query"],
  userId: number,
  now: Date,
): Promise<void> {
  await query(STOP_ALL, [userId, now]);
}

/**
 * Locks up to {@link DUE_MAX} events that are due, earliest first. Skips locked ones, and those whose previous
 * dispatch is still fanning out.
 */
export async function lockDueEvents(query: Store["query"], now: Date): Promise<DueEvent[]> {
  type Row = Pick<EventRow, "id" | "period" | "end_date" | "occured_count"> & { date: Date };
  const rows = await query<Row>(DUE, [now]);
  return rows.map((row) => ({
    id: row.id,
    date: row.date,
    period: row.period,
    endDate: row.end_date,
    occurredCount: row.occured_count,
  }));
}

/**
 * Begins a dispatch of each event, at the first window.
 * @param events the events, with the time of their next dispatch; null after the last one
 */
export async function beginDispatches(
  query: Store["query"],
  events: ReadonlyArray<{ id: number; next: Date | null }>,
  now: Date,
): Promise<void> {
  await query(BEGIN, [events.map(({ id }) => id), events.map(({ next }) => next), now]);
}

/** Ends events without a dispatch. */
export async function endEvents(query: Store["query"], ids: number[], now: Date): Promise<void> {
  await query(END, [ids, now]);
}

/** Locks an event for its fan-out; null if it was deleted. */
export async function lockEvent(
  query: Store["query"],
  id: number,
): Promise<FanningOutEvent | null> {
  type Row = EventRow & { expanded_to: number | null; expanded_sub: number | null };
  const [row] = await query<Row>(LOCK, [id]);
  if (!row) return null;
  const { expanded_to: recipient, expanded_sub: subscription } = row;
  const position = recipient === null || subscription === null ? null : { recipient, subscription };
  return { ...toEvent(row), position };
}

/** Moves an event's dispatch on to the next window, and counts the new deliveries. */
export async function moveDispatch(
  query: Store["query"],
  id: number,
  { recipient, subscription }: WindowPosition,
  deliveries: number,
  now: Date,
): Promise<void> {
  await query(MOVE, [id, recipient, subscription, deliveries, now]);
}

/** Finishes the fan-out of an event's dispatch, and counts the new deliveries. */
export async function finishDispatch(
  query: Store["query"],
  id: number,
  deliveries: number,
  now: Date,
): Promise<void> {
  await query(FINISH, [id, deliveries, now]);
}

/** Locks an event against its deletion, shared with others. @returns whether it exists */
export async function holdEvent(query: Store["query"], id: number): Promise<boolean> {
  return (await query(HOLD, [id])).length > 0;
}

/** Adds to an event's counts of deliveries by outcome. @returns null if it was deleted */
export async function countOutcomes(
  query: Store["query"],
  id: number,
  counts: { accepted: number; unregistered: number; failed: number },
): Promise<CountedEvent | null> {
  const { accepted, unregistered, failed } = counts;
  type Row = Omit<CountedEvent, "alertId" | "callEndId"> & {
    standard_id: number | null;
    call_end_id: number | null;
  };
  const [row] = await query<Row>(COUNT, [id, accepted, unregistered, failed]);
  if (!row) return null;
  const { standard_id: alertId, call_end_id: callEndId, ...event } = row;
  return { ...event, alertId, callEndId };
}

/** Finds the event whose oldest delivery is the oldest, if it is old enough; null without one. */
export async function findEventToPurge(
  query: Store["query"],
  before: Date,
): Promise<{ id: number; updatedAt: Date } | null> {
  const [row] = await query<{ id: number; updated_at: Date }>(OLD, [before]);
  return row ? { id: row.id, updatedAt: row.updated_at } : null;
}

/**
 * Moves an event on to its oldest remaining delivery. Does nothing if the event was dispatched again in the
 * meantime; the next pass then finds it again.
 */
export async function recordPurge(
  query: Store["query"],
  { id, updatedAt }: { id: number; updatedAt: Date },
): Promise<void> {
  await query(PURGED, [id, updatedAt]);
}
