import type { PushOutcome } from "../../../platform/store/generated/enums";
import { exportedList } from "../../../platform/store/rows/exported-list";
import type { Statement, Store } from "../../../platform/store/store";
import { DEVICES_WITHOUT_VOIP, OF_BLOCKED_USER } from "../devices/recipient-queries";
import type { CallEndEvent } from "../events/call-end-queries";
import type { PushTarget } from "../providers/port/provider";

export type { PushOutcome } from "../../../platform/store/generated/enums";

/**
 * Statements on push_deliveries. A function takes `query` of the store or of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** The delivery of one event to one device. */
export interface PushDelivery {
  id: number;
  eventId: number;
  /** Index of the dispatch of a schedule, from 0. */
  occurrence: number;
  /** Null once the subscription is deleted; then userId is null as well. */
  subscriptionId: number | null;
  userId: number | null;
  outcome: PushOutcome;
  /** Reason from the provider or from Signalbox; null without one. */
  reason: string | null;
  /** Number of attempts. */
  attempts: number;
  /** The provider's id for the notification. */
  providerId: string | null;
  /** Time of the next attempt if it awaits one, otherwise of the last one. */
  dueAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** The outcome of an attempt to record. */
export interface OutcomeRecord {
  delivery: number;
  outcome: PushOutcome;
  reason: string | null;
  providerId: string | null;
  dueAt: Date;
}

/** A delivery that awaits an attempt. */
export interface BatchEntry {
  /** Null if the subscription was deleted. */
  subscription: number | null;
  /** Whether the user of the subscription is blocked. */
  blocked: boolean;
  target: PushTarget;
}

/** Recorded deliveries, and the number of each final outcome. */
export interface RecordedOutcomes {
  ids: number[];
  /** The dispatch, the same for all deliveries of a batch. */
  occurrence: number;
  accepted: number;
  unregistered: number;
  failed: number;
}

/** The values of the database's enum `push_outcome`, as SQL statements name them. */
export const STORED_OUTCOMES = {
  pending: "pending",
  accepted: "accepted",
  unregistered: "gone",
  retry: "later",
  failed: "refused",
} as const satisfies Record<PushOutcome, string>;

const OUTCOMES = new Map<string, PushOutcome>(
  Object.entries(STORED_OUTCOMES).map(([outcome, stored]) => [stored, outcome as PushOutcome]),
);

/** Maximum number of deliveries that one statement of the purge deletes. */
export const PURGE_MAX = 500;

/** Columns that {@link toDelivery} reads. */
export const DELIVERY_COLUMNS = `d.id, d.event_id, d.occurrence, s.id AS subscription_id, s.user_id, d.outcome, d.reason,
  d.attempts, d.provider_id, d.due_at, d.created_at, d.updated_at
  FROM push_deliveries d LEFT JOIN push_subscriptions s ON s.id = d.subscription_id`;

/** A row of {@link DELIVERY_COLUMNS}. */
export interface DeliveryRow {
  id: number;
  event_id: number;
  occurrence: number;
  subscription_id: number | null;
  user_id: number | null;
  outcome: (typeof STORED_OUTCOMES)[PushOutcome];
  reason: string | null;
  attempts: number;
  provider_id: string | null;
  due_at: Date;
  created_at: Date;
  updated_at: Date;
}

const BY_IDS: Statement = {
  name: "push_deliveries_by_ids",
  text: `SELECT ${DELIVERY_COLUMNS} WHERE d.id = ANY($1::bigint[]) ORDER BY d.id`,
};

const BATCH: Statement = {
  name: "push_batch",
  text: `SELECT d.id, s.id AS subscription, coalesce(s.token, '') AS token, s.bundle_id,
      s.web_auth, s.web_p256dh, ${OF_BLOCKED_USER} AS blocked
    FROM push_deliveries d LEFT JOIN push_subscriptions s ON s.id = d.subscription_id
    WHERE d.id = ANY($1::bigint[]) AND d.outcome IN ('pending', 'later') AND d.attempts = $2`,
};

/**
 * $1 delivery ids; $2 JSON object from id to `[outcome, reason, providerId, dueAt]`; $3 now; $4 previous
 * attempts. $2 is looked up rather than joined: the planner expects ten rows from an array and would choose
 * a nested loop.
 */
const RECORD: Statement = {
  name: "settle_push_deliveries",
  text: `WITH recorded AS (UPDATE push_deliveries d
    SET (outcome, reason, provider_id, due_at) = (
        SELECT (o.entry ->> 0)::push_outcome, o.entry ->> 1, o.entry ->> 2,
          (o.entry ->> 3)::timestamptz
        FROM (SELECT $2::jsonb -> d.id::text AS entry OFFSET 0) o),
      attempts = d.attempts + 1, updated_at = $3
    WHERE d.id = ANY($1::bigint[]) AND d.outcome IN ('pending', 'later') AND d.attempts = $4
    RETURNING d.id, d.outcome, d.occurrence)
    SELECT coalesce(json_agg(id), '[]') AS ids, max(occurrence) AS occurrence, count(*) FILTER (WHERE outcome = 'accepted') AS accepted,
      count(*) FILTER (WHERE outcome = 'gone') AS unregistered,
      count(*) FILTER (WHERE outcome = 'refused') AS failed FROM recorded`,
};

/** $1 the event, $2 user ids, $3 the dispatch, $4 now. Skips devices that already have a delivery. */
const WRITE_ALERT: Statement = {
  name: "write_alert_push",
  text: `INSERT INTO push_deliveries
      (event_id, subscription_id, occurrence, due_at, created_at, updated_at)
    SELECT e.id, s.id, $3::int, $4::timestamptz, $4::timestamptz, $4::timestamptz
    FROM push_events e CROSS JOIN unnest($2::bigint[]) AS u(id)
    CROSS JOIN LATERAL (${DEVICES_WITHOUT_VOIP}) s
    WHERE e.id = $1 ORDER BY s.id ON CONFLICT DO NOTHING RETURNING id`,
};

/** Skips devices that already have a delivery of the end. */
const WRITE_CALL_ENDS: Statement = {
  name: "write_call_end_deliveries",
  text: `WITH made AS (INSERT INTO push_deliveries (event_id, subscription_id, due_at, created_at, updated_at)
      SELECT g.event, d.subscription_id, $2::timestamptz, $2::timestamptz, $2::timestamptz
      FROM jsonb_to_recordset($1::text::jsonb) AS g(ring bigint, event bigint)
        JOIN push_events e ON e.id = g.event
        JOIN push_deliveries d ON d.event_id = g.ring AND (d.outcome = 'accepted' OR d.id = ANY($3::bigint[]))
      ON CONFLICT DO NOTHING RETURNING id, event_id)
    SELECT event_id AS event, json_agg(id ORDER BY id) AS deliveries FROM made GROUP BY event_id`,
};

/** An event's deliveries age in id order, so only the first batch is inspected. */
const PURGE: Statement = {
  name: "purge_push_deliveries",
  text: `DELETE FROM push_deliveries WHERE id = ANY(ARRAY(
      SELECT f.id FROM (SELECT id, created_at FROM push_deliveries WHERE event_id = $1
        ORDER BY id LIMIT ${PURGE_MAX} FOR UPDATE) f
      WHERE f.created_at <= $2)) RETURNING 1 AS one`,
};

const EXPORT: Statement = {
  name: "export_push_deliveries",
  // Of each device only as many rows as the window holds, by the index that begins with the device.
  text: `SELECT to_jsonb(d) AS row, jsonb_build_array(d.subscription_id, d.event_id, d.occurrence) AS next
    FROM push_subscriptions p CROSS JOIN LATERAL (SELECT f.* FROM push_deliveries f
        WHERE f.subscription_id = p.id AND (f.subscription_id, f.event_id, f.occurrence) > ($2, $3, $4)
        ORDER BY f.subscription_id, f.event_id, f.occurrence LIMIT $5::int) d
    WHERE p.user_id = $1 AND p.id >= $2
    ORDER BY d.subscription_id, d.event_id, d.occurrence LIMIT $5::int`,
};

/** Finds deliveries by their ids, ordered by id. Omits deleted ones. */
export async function findDeliveries(
  query: Store["query"],
  ids: number[],
): Promise<PushDelivery[]> {
  return (await query<DeliveryRow>(BY_IDS, [ids])).map(toDelivery);
}

/**
 * Finds the deliveries of a batch that still await an attempt, and their devices.
 * @param previousAttempts number of attempts that each delivery has had
 * @returns each delivery's target, and whether its user is blocked; subscription is null, and the token empty, if the
 * subscription was deleted
 */
export async function findBatch(
  query: Store["query"],
  ids: number[],
  previousAttempts: number,
): Promise<BatchEntry[]> {
  interface BatchRow {
    id: number;
    subscription: number | null;
    token: string;
    bundle_id: string | null;
    web_auth: string | null;
    web_p256dh: string | null;
    blocked: boolean;
  }
  const rows = await query<BatchRow>(BATCH, [ids, previousAttempts]);
  return rows.map((row) => ({
    subscription: row.subscription,
    blocked: row.blocked,
    target: {
      deliveryId: row.id,
      token: row.token,
      bundleId: row.bundle_id,
      webAuth: row.web_auth,
      webP256dh: row.web_p256dh,
    },
  }));
}

/**
 * Writes the outcomes of a batch. Skips deliveries that are already recorded.
 * @param previousAttempts number of attempts that each delivery had before this one
 * @returns what was recorded; null without a delivery
 */
export async function writeOutcomes(
  query: Store["query"],
  records: readonly OutcomeRecord[],
  previousAttempts: number,
  now: Date,
): Promise<RecordedOutcomes | null> {
  const entries = records.map(({ delivery, outcome, reason, providerId, dueAt }) => [
    delivery,
    [STORED_OUTCOMES[outcome], reason, providerId, dueAt],
  ]);
  const [recorded] = await query<RecordedOutcomes>(RECORD, [
    records.map(({ delivery }) => delivery),
    JSON.stringify(Object.fromEntries(entries)),
    now,
    previousAttempts,
  ]);
  return recorded && recorded.ids.length > 0 ? recorded : null;
}

/**
 * Writes the deliveries of an alert event to users without a VoIP subscription. Skips devices that already
 * have one for the dispatch.
 * @returns the ids of the new deliveries
 */
export async function insertAlertDeliveries(
  query: Store["query"],
  eventId: number,
  userIds: number[],
  occurrence: number,
  now: Date,
): Promise<number[]> {
  const values = [eventId, userIds, occurrence, now];
  const rows = await query<{ id: number }>(WRITE_ALERT, values);
  return rows.map(({ id }) => id);
}

/**
 * Writes a delivery of the end for each device whose delivery of the ring was accepted, unless it has one.
 * @param uncertain deliveries that count as accepted
 * @returns the new deliveries by event
 */
export function insertCallEndDeliveries(
  query: Store["query"],
  ends: readonly CallEndEvent[],
  uncertain: readonly number[],
  now: Date,
): Promise<Array<{ event: number; deliveries: number[] }>> {
  return query(WRITE_CALL_ENDS, [JSON.stringify(ends), now, uncertain]);
}

/** Deletes up to {@link PURGE_MAX} of an event's deliveries that were created by a time. @returns their number */
export async function purgeDeliveriesOfEvent(
  query: Store["query"],
  eventId: number,
  before: Date,
): Promise<number> {
  return (await query(PURGE, [eventId, before])).length;
}

/** The deliveries to the devices of a user in an export, by device. */
export const EXPORTED_DELIVERIES = exportedList("deliveries", EXPORT, 3);

/** Converts a row to a delivery. */
export function toDelivery(row: DeliveryRow): PushDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    occurrence: row.occurrence,
    subscriptionId: row.subscription_id,
    userId: row.user_id,
    outcome: OUTCOMES.get(row.outcome) ?? "pending",
    reason: row.reason,
    attempts: row.attempts,
    providerId: row.provider_id,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
