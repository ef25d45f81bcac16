import { hash } from "node:crypto";
import { Fault } from "../../core/errors";
import type { Enqueue } from "../../jobs/jobs";
import type { Statement, Transaction } from "../../store/store";
import type { PushChannel } from "../channels/channel";
import { FAN_OUT_OPTIONS, JOBS, type PushDeps } from "../deps/push-deps";
import { type EventInput, type EventRequest, validateEvent } from "./event-request";
import { EVENT_COLUMNS, type EventRow, type PushEvent, toEvent } from "./push-event";
import { channelsWithRecipients } from "./recipient-count";
import { FIRST_WINDOW } from "./recipient-windows";
import { tagQueryOf } from "./selector";

/** Error of a push request without recipients. */
export const NO_RECIPIENTS = "No one can receive the message";

/** TTL of an idempotency key, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Sender of a push: a user, or, with userId null, the application's owner. */
export interface Sender {
  applicationId: number;
  userId: number | null;
}

/** Kinds of events: API requests, and incoming-call pushes. */
const API = "API";
const CALL = "CALL";

interface Details {
  channels: readonly PushChannel[];
  key: string | null;
  requestHash: Buffer | null;
  /** Milliseconds since the Unix epoch. */
  now: number;
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

/** Serializes requests with the same key of a sender until the transaction ends. */
const LOCK_KEY: Statement = {
  name: "lock_push_key",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 5291))::text AS locked",
};

const BY_KEY: Statement = {
  name: "push_events_by_key",
  text: `SELECT ${EVENT_COLUMNS}, e.request_hash FROM push_events e
    WHERE e.user_id = $1 AND e.idempotency_key = $2 ORDER BY e.id`,
};

const FORGET_KEY: Statement = {
  name: "forget_push_key",
  text: `UPDATE push_events SET idempotency_key = NULL, request_hash = NULL
    WHERE user_id = $1 AND idempotency_key = $2`,
};

/**
 * Creates a push: one event per channel and, for an immediate push, the fan-out jobs, in one transaction.
 * @param key idempotency key: for a day, a repeated request returns the events of the first one
 * @throws Fault INVALID on the wrong field, if an immediate push has no recipients, or if the key was used
 * for another request
 */
export async function createEvents(
  push: PushDeps,
  sender: Sender,
  input: EventInput,
  key: string | null = null,
): Promise<PushEvent[]> {
  const { jobs } = push;
  const now = push.clock.now();
  if (key !== null && !KEY.test(key)) {
    throw Fault.field("idempotencyKey", "must be 1 to 255 visible ASCII characters");
  }
  const requestHash = key === null ? null : hashOf(input);
  return jobs.transaction([JOBS.fanOut], async (transaction, enqueue) => {
    if (key !== null && sender.userId !== null) {
      const existing = await findByKey(transaction, sender.userId, key, requestHash, now);
      if (existing !== null) return existing;
    }
    // Validated only now: a date that was in the future at the first request may have passed.
    const request = validateEvent(input, now);
    const channels = await channelsOf(transaction, sender, request);
    const details = { channels, key, requestHash, now, callId: null };
    return writeEvents(transaction, enqueue, sender, request, details);
  });
}

/**
 * Writes the events of a validated request, one per channel, and the fan-out jobs of an immediate push.
 * @param details.callId the call of an incoming-call push; null for an API request
 */
export async function writeEvents(
  transaction: Transaction,
  enqueue: Enqueue,
  sender: Sender,
  request: EventRequest,
  details: Details,
): Promise<PushEvent[]> {
  const events = await insert(transaction, sender, request, details);
  const voip = events.find(({ channel }) => channel === "apns_voip");
  const standard = events.find(({ channel }) => channel === "apns");
  if (voip && standard) await transaction.query(LINK, [voip.id, standard.id]);
  if (request.eventType === "one_shot") {
    for (const { id } of events) {
      await enqueue(JOBS.fanOut, { event: id, occurrence: 0, ...FIRST_WINDOW }, FAN_OUT_OPTIONS);
    }
  }
  return events;
}

/** The channels to create events for. */
async function channelsOf(
  transaction: Transaction,
  { applicationId }: Sender,
  request: EventRequest,
): Promise<readonly PushChannel[]> {
  const { environment, selector, universal, channels, eventType } = request;
  // Recipients of a scheduled push may register devices before it is dispatched.
  if (eventType !== "one_shot") return channels;
  const filter = { applicationId, environment, selector, universal };
  const withRecipients = await channelsWithRecipients(transaction, filter, channels);
  if (withRecipients.length === 0)
    throw new Fault("INVALID", NO_RECIPIENTS, { base: [NO_RECIPIENTS] });
  return withRecipients;
}

async function insert(
  { query }: Transaction,
  { applicationId, userId }: Sender,
  request: EventRequest,
  { channels, key, requestHash, now, callId }: Details,
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

/** The events that an earlier request with this key created within its TTL; null without one. */
async function findByKey(
  { query }: Transaction,
  userId: number,
  key: string,
  requestHash: Buffer | null,
  now: number,
): Promise<PushEvent[] | null> {
  await query(LOCK_KEY, [`${userId} ${key}`]);
  const rows = await query<EventRow & { request_hash: Uint8Array }>(BY_KEY, [userId, key]);
  const [first] = rows;
  if (first === undefined) return null;
  if (first.created_at.getTime() <= now - IDEMPOTENCY_TTL_MS) {
    await query(FORGET_KEY, [userId, key]);
    return null;
  }
  if (requestHash === null || !requestHash.equals(first.request_hash)) {
    throw Fault.field("idempotencyKey", "was used for another request within the last 24 hours");
  }
  return rows.map(toEvent);
}

/** SHA-256 of a request, independent of the order of its fields. */
function hashOf(input: EventInput): Buffer {
  const entries = Object.entries(input)
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha256", JSON.stringify(entries), "buffer");
}
