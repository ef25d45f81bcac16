import { Fault } from "../../core/errors";
import type { PushOutcome } from "../../store/generated/enums";
import type { Statement } from "../../store/store";
import { type PushDeps } from "../deps/push-deps";
import { fromStored, type StoredOutcome } from "./stored-outcome";

export type { PushOutcome } from "../../store/generated/enums";

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

const COLUMNS = `d.id, d.event_id, d.occurrence, s.id AS subscription_id, s.user_id, d.outcome, d.reason,
  d.attempts, d.provider_id, d.due_at, d.created_at, d.updated_at
  FROM push_deliveries d LEFT JOIN push_subscriptions s ON s.id = d.subscription_id`;

const BY_IDS: Statement = {
  name: "push_deliveries_by_ids",
  text: `SELECT ${COLUMNS} WHERE d.id = ANY($1::bigint[]) ORDER BY d.id`,
};

const OF_EVENT: Statement = {
  name: "push_deliveries_of_event",
  text: `SELECT ${COLUMNS} WHERE d.event_id = $1 AND d.id > $2 ORDER BY d.id LIMIT $3`,
};

interface DeliveryRow {
  id: number;
  event_id: number;
  occurrence: number;
  subscription_id: number | null;
  user_id: number | null;
  outcome: StoredOutcome;
  reason: string | null;
  attempts: number;
  provider_id: string | null;
  due_at: Date;
  created_at: Date;
  updated_at: Date;
}

/** Default and maximum number of deliveries per page. */
export const PAGE_MAX = 100;

/** Finds deliveries by their ids, ordered by id. Omits deleted ones. */
export async function findDeliveries(deps: PushDeps, ids: number[]): Promise<PushDelivery[]> {
  const rows = await deps.store.query<DeliveryRow>(BY_IDS, [ids]);
  return rows.map(toDelivery);
}

/**
 * Lists a page of an event's deliveries in order of creation.
 * @param after cursor of the previous page's last delivery
 * @returns up to `first` deliveries, and whether more follow
 * @throws Fault INVALID on `first` or `after`
 */
export async function listDeliveries(
  deps: PushDeps,
  eventId: number,
  { first, after }: { first?: number | null; after?: string | null },
): Promise<{ nodes: PushDelivery[]; hasNextPage: boolean }> {
  const limit = Math.min(PAGE_MAX, first ?? PAGE_MAX);
  if (limit < 1) throw Fault.field("first", "must be at least 1");
  const from = after ?? "0";
  if (!/^\d{1,15}$/.test(from)) throw Fault.field("after", "is not a cursor of this list");
  const rows = await deps.store.query<DeliveryRow>(OF_EVENT, [eventId, Number(from), limit + 1]);
  return { nodes: rows.slice(0, limit).map(toDelivery), hasNextPage: rows.length > limit };
}

function toDelivery(row: DeliveryRow): PushDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    occurrence: row.occurrence,
    subscriptionId: row.subscription_id,
    userId: row.user_id,
    outcome: fromStored(row.outcome),
    reason: row.reason,
    attempts: row.attempts,
    providerId: row.provider_id,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
