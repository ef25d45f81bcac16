import { exportedList } from "../../../platform/store/rows/exported-list";
import type { Statement, Store } from "../../../platform/store/store";

/**
 * Statements on calls and call_participants for time-outs, for the retention, and for the data of a user. A function
 * throws Fault UNAVAILABLE if the database cannot be reached.
 */

const DUE: Statement = {
  name: "missed_calls",
  text: `SELECT p.call_id AS id FROM call_participants p WHERE p.missed_at <= $1
    ORDER BY p.missed_at LIMIT $2::int`,
};

/** With those of the participants who are in the call. In the order of an index, so that a batch reads no other call. */
const ACCEPTED: Statement = {
  name: "accepted_calls",
  text: `SELECT c.id, c.application_id, c.unreachable_since, ARRAY(
      SELECT p.user_id FROM call_participants p WHERE p.call_id = c.id AND p.state = 'accepted') AS user_ids
    FROM calls c WHERE c.state = 'accepted' AND c.id > $1 ORDER BY c.id LIMIT $2::int`,
};

/** Locks in the order of the call recorder, to avoid deadlocks. */
const MARK_UNREACHABLE: Statement = {
  name: "mark_unreachable_calls",
  text: `UPDATE calls SET unreachable_since = $2::timestamptz WHERE id = ANY(ARRAY(
      SELECT id FROM calls WHERE id = ANY($1::bigint[]) AND state = 'accepted' ORDER BY id FOR NO KEY UPDATE))`,
};

const PURGE: Statement = {
  name: "purge_calls",
  text: `DELETE FROM calls WHERE id = ANY(ARRAY(
      SELECT id FROM calls WHERE started_at <= $1 ORDER BY started_at LIMIT $2::int
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/**
 * Maximum number of ended calls of a caller and a callee, so that somebody who calls all day long neither fills the table
 * nor hides the other calls of the callee's history.
 */
export const CALLS_PER_PAIR = 1_000;
/** Maximum number of calls of a pair that one statement deletes. It is usually one: the end of each call runs it. */
const EXCESS_MAX = 10;

/** A call of several callees is deleted once it is beyond the newest of all of them. */
const DELETE_BEYOND_PAIR: Statement = {
  name: "delete_calls_beyond_pair",
  text: `DELETE FROM calls WHERE id = ANY(ARRAY(
      SELECT c.id FROM calls c WHERE c.state NOT IN ('ringing', 'accepted') AND c.id = ANY(ARRAY(
        SELECT e.call_id FROM jsonb_to_recordset($1::text::jsonb) AS g(caller_id bigint, user_id bigint)
        CROSS JOIN LATERAL (SELECT p.call_id FROM call_participants p
          WHERE p.caller_id = g.caller_id AND p.user_id = g.user_id AND p.state NOT IN ('ringing', 'accepted')
          ORDER BY p.call_id DESC LIMIT ${EXCESS_MAX} OFFSET $2::int) e))
      AND NOT EXISTS (SELECT 1 FROM call_participants o
        WHERE o.call_id = c.id AND o.caller_id IS NOT NULL AND o.call_id >= coalesce((SELECT n.call_id
          FROM call_participants n
          WHERE n.caller_id = o.caller_id AND n.user_id = o.user_id AND n.state NOT IN ('ringing', 'accepted')
          ORDER BY n.call_id DESC LIMIT 1 OFFSET $2::int - 1), 0))
      ORDER BY c.id FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** The caller is a participant, too. A call has a bounded number of signals (TIMELINE_ENTRIES). */
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

/** Calls that ring become due at once, for the job of the ring time-out. */
const CLEAR_CALLERS: Statement = {
  name: "clear_callers",
  text: `WITH called AS (UPDATE calls SET caller_id = NULL WHERE caller_id = ANY($1::bigint[]) RETURNING id)
    UPDATE call_participants p SET caller_id = NULL,
      missed_at = CASE WHEN p.missed_at IS NOT NULL THEN p.rang_at END
    FROM called c WHERE p.call_id = c.id`,
};

const RINGING_OF_CALLERS: Statement = {
  name: "ringing_calls_of_callers",
  text: `SELECT id FROM calls WHERE id = ANY($1::bigint[]) AND caller_id = ANY($2::bigint[])
    AND state = 'ringing'`,
};

/** In the lock order of the call recorder. The calls become due at once, for the job of the ring time-out. */
const END_RINGING: Statement = {
  name: "end_ringing_calls_of_caller",
  text: `WITH held AS MATERIALIZED (SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
        SELECT p.call_id FROM call_participants p WHERE p.user_id = $1))
      AND c.caller_id = $1 AND c.state = 'ringing' ORDER BY c.id FOR NO KEY UPDATE),
    ended AS (UPDATE calls c SET ended_by_member_at = coalesce(c.ended_by_member_at, $2::timestamptz)
      FROM held h WHERE c.id = h.id)
    UPDATE call_participants p SET missed_at = p.rang_at FROM held h
    WHERE p.call_id = h.id AND p.missed_at IS NOT NULL`,
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

/** An accepted call, as {@link findAcceptedCalls} reads it. */
export interface AcceptedCallRow {
  id: number;
  application_id: number;
  unreachable_since: Date | null;
  /** The participants who are in the call and have not been erased. */
  user_ids: number[];
}

/** Reads up to `limit` accepted calls with ids above `after`, by id. */
export function findAcceptedCalls(
  query: Store["query"],
  after: number,
  limit: number,
): Promise<AcceptedCallRow[]> {
  return query<AcceptedCallRow>(ACCEPTED, [after, limit]);
}

/** Notes since when no device in these calls is connected, or with null that one is. Calls that have ended stay. */
export async function markUnreachable(
  query: Store["query"],
  ids: number[],
  since: Date | null,
): Promise<void> {
  if (ids.length > 0) await query(MARK_UNREACHABLE, [ids, since]);
}

/** Deletes up to `limit` calls that started by a time. @returns their number */
export async function deleteOldCalls(
  query: Store["query"],
  before: Date,
  limit: number,
): Promise<number> {
  return (await query(PURGE, [before, limit])).length;
}

/** A caller and a user who was called. */
export interface CallPair {
  callerId: number;
  userId: number;
}

/** Deletes ended calls of these pairs beyond their newest {@link CALLS_PER_PAIR}. @returns the number of deleted calls */
export async function deleteCallsBeyondPairs(
  query: Store["query"],
  pairs: readonly CallPair[],
): Promise<number> {
  if (pairs.length === 0) return 0;
  const keys = new Set(
    pairs.map(({ callerId, userId }) => JSON.stringify({ caller_id: callerId, user_id: userId })),
  );
  return (await query(DELETE_BEYOND_PAIR, [`[${[...keys].join()}]`, CALLS_PER_PAIR])).length;
}

/** The calls of a user in an export, each with the row of the participation and the user's entries of the timeline. */
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

/** Finds those of the calls that ring for other users than their caller. @returns their ids */
export async function findRingingCallsOf(
  query: Store["query"],
  ids: number[],
  callerIds: number[],
): Promise<number[]> {
  return (await query<{ id: number }>(RINGING_OF_CALLERS, [ids, callerIds])).map(({ id }) => id);
}

/** Ends the calls of a user that still ring; the next run of the ring time-out records it and tells the participants. */
export async function endRingingCallsOf(
  query: Store["query"],
  callerId: number,
  at: Date,
): Promise<void> {
  await query(END_RINGING, [callerId, at]);
}
