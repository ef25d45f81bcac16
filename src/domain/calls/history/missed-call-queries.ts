import type { Statement, Store } from "../../../platform/store/store";
import { type CalleeKey, keysOf } from "./ringing-call-queries";

/**
 * Statements on calls and call_participants for missed-call pushes. A function takes `query` of the store or of a
 * transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** A row of a call that a user missed. */
export interface MissedRow {
  call_id: number;
  user_id: number;
  application_id: number;
  session_id: string;
  call_type: number | null;
  caller_id: number;
  started_at: Date;
}

/** Number of a user's newest calls among which the missed ones are counted. */
const COUNTED_MAX = 1_000;
/** Number of a user's newest calls whose pushes are withdrawn. */
const WITHDRAWN_MAX = 100;

/** Neither answered nor declined; of a callee, since the caller's row names no caller. */
const IS_MISSED = `p.state IN ('missed', 'hung_up') AND p.answer IS NULL AND p.left_at IS NULL
  AND p.caller_id IS NOT NULL`;

const MISSED: Statement = {
  name: "missed_for_pushes",
  text: `SELECT p.call_id, p.user_id, p.started_at, c.application_id, c.session_id, c.call_type, c.caller_id
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
      JOIN call_participants p ON p.call_id = g.call_id AND p.user_id = g.user_id
      JOIN calls c ON c.id = g.call_id AND c.caller_id IS NOT NULL
    WHERE p.missed_push_at IS NULL AND ${IS_MISSED}`,
};

/** Claims each push once. The calls are locked in the same order as when events are written, to avoid deadlocks. */
const CLAIM: Statement = {
  name: "claim_missed_call_pushes",
  text: `WITH held AS MATERIALIZED (
      SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
        SELECT g.call_id FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint)))
      ORDER BY c.id FOR NO KEY UPDATE)
    UPDATE call_participants p SET missed_push_at = $2::timestamptz
    FROM held h JOIN jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
      ON g.call_id = h.id
    WHERE p.call_id = g.call_id AND p.user_id = g.user_id AND p.missed_push_at IS NULL AND ${IS_MISSED}
    RETURNING p.call_id, p.user_id`,
};

const COUNT: Statement = {
  name: "count_missed_calls",
  text: `SELECT g.user_id, (SELECT count(*) FROM (SELECT q.* FROM call_participants q
        WHERE q.user_id = g.user_id AND q.started_at > g.since
        ORDER BY q.started_at DESC, q.call_id DESC LIMIT ${COUNTED_MAX}) p WHERE ${IS_MISSED}) AS count
    FROM jsonb_to_recordset($1::text::jsonb) AS g(user_id bigint, since timestamptz)`,
};

const PUSHED: Statement = {
  name: "calls_with_missed_push",
  text: `SELECT p.call_id AS id FROM (SELECT q.call_id, q.missed_push_at FROM call_participants q
      WHERE q.user_id = $1 ORDER BY q.started_at DESC, q.call_id DESC LIMIT ${WITHDRAWN_MAX}) p
    WHERE p.missed_push_at IS NOT NULL`,
};

/** Finds which of these calls the users missed, who were not sent a push for it. */
export function findMissedCallees(
  query: Store["query"],
  callees: readonly CalleeKey[],
): Promise<MissedRow[]> {
  return query<MissedRow>(MISSED, [keysOf(callees)]);
}

/** Claims the pushes to users who missed the calls. @returns the claimed ones */
export async function claimMissedCallPushes(
  query: Store["query"],
  callees: readonly CalleeKey[],
  now: Date,
): Promise<CalleeKey[]> {
  type Row = Pick<MissedRow, "call_id" | "user_id">;
  const rows = await query<Row>(CLAIM, [keysOf(callees), now]);
  return rows.map((row) => ({ callId: row.call_id, userId: row.user_id }));
}

/**
 * Counts the calls that users missed since a time, among their newest {@link COUNTED_MAX} calls.
 * @returns the counts by user id
 */
export async function countMissedCalls(
  query: Store["query"],
  users: ReadonlyArray<{ userId: number; since: Date }>,
): Promise<Map<number, number>> {
  const keys = users.map(({ userId, since }) => ({ user_id: userId, since }));
  const rows = await query<{ user_id: number; count: number }>(COUNT, [JSON.stringify(keys)]);
  return new Map(rows.map((row) => [row.user_id, Number(row.count)]));
}

/** Finds those of a user's newest {@link WITHDRAWN_MAX} calls for which a missed-call push was written. */
export async function findCallsWithMissedPush(
  query: Store["query"],
  userId: number,
): Promise<number[]> {
  return (await query<{ id: number }>(PUSHED, [userId])).map(({ id }) => id);
}
