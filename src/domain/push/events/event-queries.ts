import { exportedList } from "../../../platform/store/rows/exported-list";
import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";
import { tagQueryOf } from "../devices/selector";
import type { EventRequest } from "./event-request";
import type { PushEvent, PushEventKind, PushEventType, Sender } from "./push-event";

/**
 * Statements on push_events for those who request and read them. A function takes `query` of the store or of
 * a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Columns that {@link toEvent} reads, of `push_events` aliased as `e`. */
export const EVENT_COLUMNS = `e.id, e.application_id, e.user_id, e.event_type, e.channel,
  e.environment, e.message, e.name, e.date, e.end_date, e.period, e.selector, e.tag_query,
  e.universal, e.occured_count, e.active, e.kind, e.delivery_count, e.accepted_count, e.gone_count,
  e.refused_count, e.next_run_at, e.expanded_to IS NOT NULL AS fanning_out, e.stopped_at, e.withdrawn_at,
  e.created_at, e.updated_at`;

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
  kind: PushEventKind;
  delivery_count: number;
  accepted_count: number;
  gone_count: number;
  refused_count: number;
  next_run_at: Date | null;
  fanning_out: boolean;
  stopped_at: Date | null;
  withdrawn_at: Date | null;
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

const INSERT: Statement = {
  name: "create_push_events",
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
  text: "UPDATE push_events SET standard_id = $2 WHERE id = $1",
};

const EXPORT: Statement = {
  name: "export_push_events",
  text: `SELECT to_jsonb(e) - 'request_hash' AS row, jsonb_build_array(e.id) AS next
    FROM push_events e WHERE e.user_id = $1 AND e.id > $2 ORDER BY e.id LIMIT $3::int`,
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
    nextRunAt: row.next_run_at,
    fanningOut: row.fanning_out,
    stoppedAt: row.stopped_at,
    withdrawnAt: row.withdrawn_at,
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
    ...[request.universal !== null, key, requestHash],
    ...[date, eventType === "one_shot" ? 0 : null, new Date(now)],
    ...[callId === null ? "API" : "CALL", callId],
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

/** Deletes an event of a user with its deliveries. @returns whether there was one */
export async function deleteEventOfUser(
  { db }: Pick<Store, "db">,
  id: number,
  userId: number,
): Promise<boolean> {
  const where = { id: BigInt(id), userId: BigInt(userId) };
  return (await db.pushEvent.deleteMany({ where })).count > 0;
}

/** The events that a user requested, in an export. */
export const EXPORTED_EVENTS = exportedList("events", EXPORT);
