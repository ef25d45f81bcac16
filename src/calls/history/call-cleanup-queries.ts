import { exportRows } from "../../store/rows/export-rows";
import type { Statement, Store } from "../../store/store";

/**
 * Statements on calls and call_participants for time-outs, for the retention, and for the data of a user. A function
 * throws Fault UNAVAILABLE if the database cannot be reached.
 */

const DUE: Statement = {
  name: "missed_calls",
  reason: "set",
  text: `SELECT p.call_id AS id FROM call_participants p WHERE p.missed_at <= $1
    ORDER BY p.missed_at LIMIT $2::int`,
};

const PURGE: Statement = {
  name: "purge_calls",
  reason: "set",
  text: `DELETE FROM calls WHERE id = ANY(ARRAY(
      SELECT id FROM calls WHERE started_at <= $1 ORDER BY started_at LIMIT $2::int
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** A UNION, so that each part uses an index. */
const EXPORT: Statement = {
  name: "export_calls",
  reason: "expression",
  text: `SELECT to_jsonb(c) || jsonb_build_object('participation', to_jsonb(m), 'signals', (
        SELECT coalesce(jsonb_agg(to_jsonb(s) - 'key' ORDER BY s.first_at, s.key), '[]') FROM call_signals s
        WHERE s.call_id = c.id AND (s.from_user_id = $1 OR s.to_user_id = $1))) AS row
    FROM (SELECT d.id FROM calls d WHERE d.caller_id = $1
        UNION SELECT k.call_id FROM call_participants k WHERE k.user_id = $1) AS found
      JOIN calls c ON c.id = found.id
      LEFT JOIN call_participants m ON m.call_id = c.id AND m.user_id = $1
    ORDER BY c.id`,
};

const PARTICIPATED: Statement = {
  name: "calls_with_participant",
  reason: "set",
  text: `SELECT c.id, coalesce(c.caller_id = $1, false) AS called
    FROM call_participants m JOIN calls c ON c.id = m.call_id WHERE m.user_id = $1`,
};

/** In the lock order of the call recorder, to avoid deadlocks. */
const LOCK: Statement = {
  name: "lock_calls_of_users",
  reason: "lock",
  text: `SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
      SELECT p.call_id FROM call_participants p WHERE p.user_id = ANY($1::bigint[])))
    ORDER BY c.id FOR UPDATE`,
};

const DELETE_EMPTY: Statement = {
  name: "delete_calls_without_others",
  reason: "set",
  text: `DELETE FROM calls c WHERE c.id = ANY($1::bigint[]) AND NOT EXISTS (
    SELECT 1 FROM call_participants o WHERE o.call_id = c.id AND o.user_id <> ALL($2::bigint[]))`,
};

const CLEAR_CALLERS: Statement = {
  name: "clear_callers",
  reason: "set",
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

/** Exports the rows of a user's calls, each with the row of the participation and the user's entries of the time line. */
export function exportCalls(query: Store["query"], userId: number): Promise<unknown[]> {
  return exportRows(query, EXPORT, [userId]);
}

/** Finds the calls that a user participates in, and whether the user started them. */
export function findParticipatedCalls(
  query: Store["query"],
  userId: number,
): Promise<Array<{ id: number; called: boolean }>> {
  return query(PARTICIPATED, [userId]);
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
