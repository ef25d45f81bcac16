import type { IdRange } from "../../paging/page";
import type { Statement, Store } from "../../store/store";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";
import type { EventRequest } from "./event-request";
import type { PushEvent, PushEventType, Sender } from "./push-event";
import { tagQueryOf } from "./selector";

/**
 * Statements on push_events for those who request and read them. A function takes `query` of the store or of
 * a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Columns that {@link toEvent} reads, of `push_events` aliased as `e`. */
export const EVENT_COLUMNS = `e.id, e.application_id, e.user_id, e.event_type, e.channel,
  e.environment, e.message, e.name, e.date, e.end_date, e.period, e.selector, e.tag_query,
  e.universal, e.occured_count, e.active, e.kind, e.delivery_count, e.accepted_count, e.gone_count,
  e.refused_count, e.created_at, e.updated_at`;

/** A row of {@link EVENT_COLUMNS}. */
export interface EventRow {
  id: number;
  application_id: number;
  user_id: number | null;
  event_type: PushEventType;
  channel: PushChannel;
  environment: PushEnvironment;
  message: string;
  name: string | null;
  date: Date | null;
  end_date: Date | null;
  period: number | null;
  selector: Selector;
  tag_query: string | null;
  universal: boolean;
  occured_count: number;
  active: boolean;
  kind: string;
  delivery_count: number;
  accepted_count: number;
  gone_count: number;
  refused_count: number;
  created_at: Date;
  updated_at: Date;
}

/** What a push's events have besides their request and sender. */
export interface EventDetails {
  /** The channels, with one event each. */
  channels: readonly PushChannel[];
  /** The idempotency key, and the hash of the request that it was used for. */
  key: string | null;
  requestHash: Buffer | null;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** The call of an incoming-call push; null for an API request. */
  callId: number | null;
}

/** Kinds of events: API requests, and incoming-call pushes. */
const API = "API";
const CALL = "CALL";

const INSERT: Statement = {
  name: "create_push_events",
  reason: "set",
  text: `WITH e AS (INSERT INTO push_events (application_id, user_id, event_type, channel, environment,
      message, name, date, end_date, period, selector, tag_query, universal, idempotency_key,
      request_hash, next_run_at, expanded_to, expanded_sub, created_at, updated_at, kind, call_id)
    SELECT $1::bigint, $2::bigint, $3::push_event_type, c.channel::push_channel,
      $5::push_environment, $6::text, $7::text, $8::timestamptz, $9::timestamptz, $10::int,
      $11::text::jsonb, $12::text, $13::boolean, $14::text, $15::bytea, $16::timestamptz,
      $17::bigint, $17::bigint, $18::timestamptz, $18::timestamptz, $19::text, $20::bigint
    FROM unnest($4::text[]) WITH ORDINALITY AS c(channel, n) ORDER BY c.n RETURNING *)
    SELECT ${EVENT_COLUMNS} FROM e ORDER BY e.id`,
};

/** Sets `standard_id` (see prisma/schema.prisma). */
const LINK: Statement = {
  name: "link_push_events",
  reason: "transaction",
  text: "UPDATE push_events SET standard_id = $2 WHERE id = $1",
};

/** Serializes requests with the same key of a sender until the transaction ends. */
const LOCK_KEY: Statement = {
  name: "lock_push_key",
  reason: "lock",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 5291))::text AS locked",
};

const BY_KEY: Statement = {
  name: "push_events_by_key",
  reason: "set",
  text: `SELECT ${EVENT_COLUMNS}, e.request_hash FROM push_events e
    WHERE e.user_id = $1 AND e.idempotency_key = $2 ORDER BY e.id`,
};

const FORGET_KEY: Statement = {
  name: "forget_push_key",
  reason: "transaction",
  text: `UPDATE push_events SET idempotency_key = NULL, request_hash = NULL
    WHERE user_id = $1 AND idempotency_key = $2`,
};

/** The two directions of a list of events by id. */
const list = (name: string, owner: string) => {
  const inDirection = (suffix: string, direction: "ASC" | "DESC"): Statement => ({
    name: `${name}${suffix}`,
    reason: "keyset",
    text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE ${owner} = $1 AND e.id > $2 AND e.id < $3
    ORDER BY e.id ${direction} LIMIT $4`,
  });
  return { descending: inDirection("", "DESC"), ascending: inDirection("_ascending", "ASC") };
};
const LIST = list("push_events_of_user", "e.user_id");
const LIST_OWNED = list("push_events_of_application", "e.application_id");

const FIND: Statement = {
  name: "push_event_of_user",
  reason: "columns",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.id = $1 AND e.user_id = $2`,
};

const BY_ID: Statement = {
  name: "push_event_by_id",
  reason: "columns",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.id = $1`,
};

const STOP: Statement = {
  name: "stop_push_event",
  reason: "columns",
  text: `WITH e AS (UPDATE push_events SET active = false, next_run_at = NULL, expanded_to = NULL,
      expanded_sub = NULL, dispatched_at = coalesce(dispatched_at, $3), updated_at = $3 WHERE id = $1 AND user_id = $2 RETURNING *)
    SELECT ${EVENT_COLUMNS} FROM e`,
};

const EXPORT: Statement = {
  name: "export_push_events",
  reason: "expression",
  text: `SELECT coalesce(jsonb_agg(to_jsonb(e) - 'request_hash' ORDER BY e.id), '[]') AS found
    FROM push_events e WHERE e.user_id = $1`,
};

/** Converts a row to an event. */
export function toEvent(row: EventRow): PushEvent {
  return {
    id: row.id,
    databaseId: row.id,
    applicationId: row.application_id,
    applicationDatabaseId: row.application_id,
    userId: row.user_id,
    userDatabaseId: row.user_id,
    eventType: row.event_type,
    channel: row.channel,
    environment: row.environment,
    message: row.message,
    name: row.name,
    date: row.date,
    endDate: row.end_date,
    period: row.period,
    selector: row.selector,
    tagQuery: row.tag_query,
    universal: row.universal,
    occurredCount: row.occured_count,
    active: row.active,
    kind: row.kind,
    deliveryCount: row.delivery_count,
    acceptedCount: row.accepted_count,
    unregisteredCount: row.gone_count,
    failedCount: row.refused_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Writes the events of a push, one per channel. @returns them in the order of the channels */
export async function insertEvents(
  query: Store["query"],
  { applicationId, userId }: Sender,
  request: EventRequest,
  { channels, key, requestHash, now, callId }: EventDetails,
): Promise<PushEvent[]> {
  const { eventType, environment, message, name, date, endDate, period, selector } = request;
  const rows = await query<EventRow>(INSERT, [
    ...[applicationId, userId, eventType, channels, environment, message, name],
    ...[date, endDate, period, JSON.stringify(selector), tagQueryOf(selector)],
    ...[request.universal !== null, userId === null ? null : key, requestHash],
    ...[date, eventType === "one_shot" ? 0 : null, new Date(now)],
    ...[callId === null ? API : CALL, callId],
  ]);
  return rows.map(toEvent);
}

/** Sets the alert event of a VoIP event. */
export async function linkAlertEvent(
  query: Store["query"],
  voipId: number,
  alertId: number,
): Promise<void> {
  await query(LINK, [voipId, alertId]);
}

/** Locks an idempotency key of a user until the transaction ends. */
export async function lockKey(query: Store["query"], userId: number, key: string): Promise<void> {
  await query(LOCK_KEY, [`${userId} ${key}`]);
}

/**
 * Finds the events that a request with an idempotency key created.
 * @returns the events in the order of their ids, and the hash of the request; null without one
 */
export async function findEventsByKey(
  query: Store["query"],
  userId: number,
  key: string,
): Promise<{ events: PushEvent[]; createdAt: Date; requestHash: Uint8Array } | null> {
  const rows = await query<EventRow & { request_hash: Uint8Array }>(BY_KEY, [userId, key]);
  const [first] = rows;
  if (first === undefined) return null;
  const { created_at: createdAt, request_hash: requestHash } = first;
  return { events: rows.map(toEvent), createdAt, requestHash };
}

/** Frees an idempotency key for another request. */
export async function forgetKey(query: Store["query"], userId: number, key: string): Promise<void> {
  await query(FORGET_KEY, [userId, key]);
}

/** Lists events of a user in a range of ids, in its direction. */
export function listEventsOfUser(
  query: Store["query"],
  userId: number,
  range: IdRange,
): Promise<PushEvent[]> {
  return listRange(query, LIST, userId, range);
}

/** Lists events of an application like {@link listEventsOfUser}. */
export function listEventsOfApplication(
  query: Store["query"],
  applicationId: number,
  range: IdRange,
): Promise<PushEvent[]> {
  return listRange(query, LIST_OWNED, applicationId, range);
}

async function listRange(
  query: Store["query"],
  statements: typeof LIST,
  ownerId: number,
  { above, below, descending, limit }: IdRange,
): Promise<PushEvent[]> {
  const statement = descending ? statements.descending : statements.ascending;
  return (await query<EventRow>(statement, [ownerId, above, below, limit])).map(toEvent);
}

/** Finds an event of a user; null if there is none. */
export async function findEventOfUser(
  query: Store["query"],
  id: number,
  userId: number,
): Promise<PushEvent | null> {
  const [row] = await query<EventRow>(FIND, [id, userId]);
  return row ? toEvent(row) : null;
}

/** Finds an event; null if there is none. */
export async function findEventById(query: Store["query"], id: number): Promise<PushEvent | null> {
  const [row] = await query<EventRow>(BY_ID, [id]);
  return row ? toEvent(row) : null;
}

/** Ends an event of a user; null if there is none. */
export async function stopEventOfUser(
  query: Store["query"],
  id: number,
  userId: number,
  now: Date,
): Promise<PushEvent | null> {
  const [row] = await query<EventRow>(STOP, [id, userId, now]);
  return row ? toEvent(row) : null;
}

/** Deletes an event of a user with its deliveries. @returns whether there was one */
export async function deleteEventOfUser(
  { db }: Pick<Store, "db">,
  id: number,
  userId: number,
): Promise<boolean> {
  const where = { id: BigInt(id), userId: BigInt(userId) };
  return (await db.pushEvent.deleteMany({ where })).count > 0;
}

/** Exports the rows of the events that a user requested, by id. */
export async function exportEvents(query: Store["query"], userId: number): Promise<object[]> {
  const [row] = await query<{ found: object[] }>(EXPORT, [userId]);
  return row?.found ?? [];
}
