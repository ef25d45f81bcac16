import type { Statement, Store } from "../../../platform/store/store";
import { EVENT_COLUMNS, type EventRow, toEvent } from "./event-queries";
import type { PushEvent, Sender } from "./push-event";

/**
 * Statements on the idempotency keys of push_events. A key belongs to a user, or to the owner of an
 * application, whose events have no user. A function takes `query` of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** Serializes requests with the same key of a sender until the transaction ends. */
const LOCK_KEY: Statement = {
  name: "lock_push_key",
  text: "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 5291))::text AS locked",
};

/** The statements for one kind of sender. @param owner the condition on its id, $1 */
const statements = (suffix: string, owner: string) => ({
  find: {
    name: `push_events_by_key${suffix}`,
    text: `SELECT ${EVENT_COLUMNS}, e.request_hash FROM push_events e
      WHERE ${owner} AND e.idempotency_key = $2 ORDER BY e.id`,
  } satisfies Statement,
  forget: {
    name: `forget_push_key${suffix}`,
    text: `UPDATE push_events e SET idempotency_key = NULL, request_hash = NULL
      WHERE ${owner} AND e.idempotency_key = $2`,
  } satisfies Statement,
});
const OF_USER = statements("", "e.user_id = $1");
const OF_OWNER = statements("_of_owner", "e.application_id = $1 AND e.user_id IS NULL");

/** Locks an idempotency key of a sender until the transaction ends. */
export async function lockKey(query: Store["query"], sender: Sender, key: string): Promise<void> {
  const { applicationId, userId } = sender;
  const name = userId === null ? `application ${applicationId}` : String(userId);
  await query(LOCK_KEY, [`${name} ${key}`]);
}

/**
 * Finds the events that a request with an idempotency key created.
 * @returns the events in the order of their ids, and the hash of the request; null without one
 */
export async function findEventsByKey(
  query: Store["query"],
  sender: Sender,
  key: string,
): Promise<{ events: PushEvent[]; createdAt: Date; requestHash: Uint8Array } | null> {
  const [of, id] = statementsOf(sender);
  const rows = await query<EventRow & { request_hash: Uint8Array }>(of.find, [id, key]);
  const [first] = rows;
  if (first === undefined) return null;
  const { created_at: createdAt, request_hash: requestHash } = first;
  return { events: rows.map(toEvent), createdAt, requestHash };
}

/** Frees an idempotency key for another request. */
export async function forgetKey(query: Store["query"], sender: Sender, key: string): Promise<void> {
  const [of, id] = statementsOf(sender);
  await query(of.forget, [id, key]);
}

function statementsOf({ applicationId, userId }: Sender): [typeof OF_USER, number] {
  return userId === null ? [OF_OWNER, applicationId] : [OF_USER, userId];
}
