import type { Statement, Store } from "../../../platform/store/store";

/**
 * Statements on calls and call_participants for incoming-call pushes. A function takes `query` of the store or of a
 * transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** A row of a call that is ringing for a user. */
export interface RingingRow {
  call_id: number;
  user_id: number;
  missed_at: Date;
  application_id: number;
  session_id: string;
  call_type: number | null;
  caller_id: number;
}

/** A call and a user whom it calls. */
export interface CalleeKey {
  callId: number;
  userId: number;
}

const RINGING: Statement = {
  name: "ringing_for_pushes",
  text: `SELECT p.call_id, p.user_id, p.missed_at, c.application_id, c.session_id, c.call_type,
      c.caller_id
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
      JOIN call_participants p ON p.call_id = g.call_id AND p.user_id = g.user_id
      JOIN calls c ON c.id = g.call_id AND c.caller_id IS NOT NULL
    WHERE p.pushed_at IS NULL AND p.state = 'ringing' AND p.missed_at > $2::timestamptz`,
};

/**
 * Claims each push once, and only while the call is ringing for the user. The calls are locked in the same
 * order as when events are written, to avoid deadlocks.
 */
const CLAIM: Statement = {
  name: "claim_call_pushes",
  text: `WITH held AS MATERIALIZED (
      SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
        SELECT g.call_id FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint)))
      ORDER BY c.id FOR NO KEY UPDATE)
    UPDATE call_participants p SET pushed_at = $2::timestamptz
    FROM held h JOIN jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
      ON g.call_id = h.id
    WHERE p.call_id = g.call_id AND p.user_id = g.user_id AND p.pushed_at IS NULL
      AND p.state = 'ringing' AND p.missed_at > $2::timestamptz
    RETURNING p.call_id, p.user_id`,
};

/** Finds which of these calls are ringing for the user, who was not sent a push for it. */
export function findRingingCalls(
  query: Store["query"],
  callees: readonly CalleeKey[],
  now: Date,
): Promise<RingingRow[]> {
  return query<RingingRow>(RINGING, [keysOf(callees), now]);
}

/** Claims the pushes to users for whom the calls are still ringing. @returns the claimed ones */
export async function claimCallPushes(
  query: Store["query"],
  callees: readonly CalleeKey[],
  now: Date,
): Promise<CalleeKey[]> {
  type Row = Pick<RingingRow, "call_id" | "user_id">;
  const rows = await query<Row>(CLAIM, [keysOf(callees), now]);
  return rows.map((row) => ({ callId: row.call_id, userId: row.user_id }));
}

/** The keys as the parameter of a statement: JSON of call_id and user_id. */
export function keysOf(callees: readonly CalleeKey[]): string {
  return JSON.stringify(
    callees.map(({ callId, userId }) => ({ call_id: callId, user_id: userId })),
  );
}
