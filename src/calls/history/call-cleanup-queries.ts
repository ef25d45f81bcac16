import { exportedList } from "../../store/rows/exported-list";
import type { Statement, Store } from "../../store/store";

/**
 * Statements on calls and call_participants for time-outs, for the retention, and for the data of a user. A function
 * throws Fault UNAVAILABLE if the database cannot be reached.
 */

const DUE: Statement = {
  name: "missed_calls",
  text: `SELECT p.call_id AS id FROM call_participants p WHERE p.missed_at <= $1
    ORDER BY p.missed_at LIMIT $2::int`,
};

const PURGE: Statement = {
  name: "purge_calls",
  text: `DELETE FROM calls WHERE id = ANY(ARRAY(
      SELECT id FROM calls WHERE started_at <= $1 ORDER BY started_at LIMIT $2::int
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** The caller is a participant, too. A call has a bounded number of signals (TIME_LINE_ENTRIES). */
const EXPORT: Statement = {
  name: "export_calls",
  text: `SELECT to_jsonb(c) || jsonb_build_object('participation', to_jsonb(m), 'signals', (
        SELECT coalesce(jsonb_agg(to_jsonb(s) - 'key' ORDER BY s.first_at, s.key), '[]') FROM call_signals s
        WHERE s.call_id = c.id AND (s.from_user_id = $1 OR s.to_user_id = $1))) AS row,
      jsonb_build_array(m.call_id) AS next
    FROM call_participants m JOIN calls c ON c.id = m.call_id
    WHERE m.user_id = $1 AND m.call_id > $2 ORDER BY m.call_id LIMIT $3::int`,
};

const PARTICIPATED: Statement = {
  name: "calls_with_participant",
  text: `SELECT c.id, coalesce(c.caller_id = $1, false) AS called
    FROM call_participants m JOIN calls c ON c.id = m.call_id
    WHERE m.user_id = $1 AND m.call_id > $2 ORDER BY m.call_id LIMIT $3::int`,
};

/** In the lock order of the call recorder, to avoid deadlocks. */
const LOCK: Statement = {
  name: "lock_calls_of_users",
  text: `SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
      SELECT p.call_id FROM call_participants p WHERE p.user_id = ANY($1::bigint[])))
    ORDER BY c.id FOR UPDATE`,
};

const DELETE_EMPTY: Statement = {
  name: "delete_calls_without_others",
  text: `DELETE FROM calls c WHERE c.id = ANY($1::bigint[]) AND NOT EXISTS (
    SELECT 1 FROM call_participants o WHERE o.call_id = c.id AND o.user_id <> ALL($2::bigint[]))`,
};

const CLEAR_CALLERS: Statement = {
  name: "clear_callers",
  text: "UPDATE calls SET caller_id = NULL WHERE caller_id = ANY($1::bigint[])",
};

/**
 * Finds up to `limit` participants whose ringing timed out by a time.
 * @returns the ids of their calls, which may repeat
 */
export async function findMissedCalls(
  query: Store["query"],
  at: Date,
  limit: number,
): Promise<number[]> {
  return (await query<{ id: number }>(DUE, [at, limit])).map(({ id }) => id);
}

/** Deletes up to `limit` calls that started by a time. @returns their number */
export async function deleteOldCalls(
  query: Store["query"],
  before: Date,
  limit: number,
): Promise<number> {
  return (await query(PURGE, [before, limit])).length;
}

/** The calls of a user in an export, each with the row of the participation and the user's entries of the time line. */
export const EXPORTED_CALLS = exportedList("calls", EXPORT);

/** Finds up to `limit` calls that a user participates in, with ids above `after`, and whether the user started them. */
export function findParticipatedCalls(
  query: Store["query"],
  userId: number,
  after: number,
  limit: number,
): Promise<Array<{ id: number; called: boolean }>> {
  return query(PARTICIPATED, [userId, after, limit]);
}

/** Locks the calls that users participate in. @returns their ids */
export async function lockCallsOfUsers(
  query: Store["query"],
  userIds: number[],
): Promise<number[]> {
  return (await query<{ id: number }>(LOCK, [userIds])).map(({ id }) => id);
}

/** Deletes those of the calls in which nobody but these users participates. */
export async function deleteCallsWithoutOthers(
  query: Store["query"],
  ids: number[],
  userIds: number[],
): Promise<void> {
  await query(DELETE_EMPTY, [ids, userIds]);
}

/** Removes these users as callers. */
export async function clearCallers(query: Store["query"], userIds: number[]): Promise<void> {
  await query(CLEAR_CALLERS, [userIds]);
}
