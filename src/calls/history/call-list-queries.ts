import type { IdRange } from "../../paging/page";
import type { Statement, Store } from "../../store/store";
import type { CalleeRow } from "./call-queries";
import type { CallState } from "./call-states";

/**
 * Statements on calls and call_participants for the participants of calls. A function throws Fault UNAVAILABLE if the
 * database cannot be reached.
 */

/** The columns of {@link CallRow}, from the table with the alias `c`. */
export const CALL_COLUMNS = `c.id, c.session_id, c.caller_id, c.call_type, c.state, c.started_at, c.accepted_at,
  c.ended_at`;

const list = (name: string, direction: "ASC" | "DESC"): Statement => ({
  name,
  text: `SELECT ${CALL_COLUMNS} FROM call_participants p JOIN calls c ON c.id = p.call_id
    WHERE p.user_id = $1 AND p.call_id > $2 AND p.call_id < $3
      AND (c.state = ANY($4::text[]::call_state[]) OR $4::text[] IS NULL)
    ORDER BY p.call_id ${direction} LIMIT $5`,
});
const LIST = {
  descending: list("calls_of_user", "DESC"),
  ascending: list("calls_of_user_ascending", "ASC"),
};

const BY_IDS: Statement = {
  name: "calls_by_ids",
  text: `SELECT ${CALL_COLUMNS}, c.application_id, c.signals_truncated FROM calls c WHERE c.id = ANY($1::bigint[])`,
};

const BY_CALL_ID: Statement = {
  name: "call_by_session",
  text: `SELECT ${CALL_COLUMNS} FROM call_participants p JOIN calls c ON c.id = p.call_id
    WHERE p.user_id = $1 AND p.session_id = $2 ORDER BY p.call_id DESC LIMIT 1`,
};

const PARTICIPANTS: Statement = {
  name: "participants_of_calls",
  text: `SELECT p.call_id, p.user_id, p.state, p.rang_at, p.answer, p.answered_at, p.device, p.left_at,
      p.dropped_at, p.hang_ups, p.expired_at, p.pushed_at
    FROM call_participants p
    WHERE p.call_id = ANY($1::bigint[]) ORDER BY p.rang_at, p.user_id`,
};

/** A row of a call. */
export interface CallRow {
  id: number;
  session_id: string;
  caller_id: number | null;
  call_type: number | null;
  state: CallState;
  started_at: Date;
  accepted_at: Date | null;
  ended_at: Date | null;
}

/** A row of a call that is read by its id, before it is checked who may see it. */
export type AnyCallRow = CallRow & { application_id: number; signals_truncated: boolean };

/** A row of a participant. */
export type ParticipantRow = CalleeRow & { state: CallState; pushed_at: Date | null };

/** Lists calls of a user in a range of ids, in its direction; null for calls in any state. */
export function listCallsOfUser(
  { query }: Pick<Store, "query">,
  userId: number,
  states: readonly CallState[] | null,
  { above, below, descending, limit }: IdRange,
): Promise<CallRow[]> {
  const statement = descending ? LIST.descending : LIST.ascending;
  return query<CallRow>(statement, [userId, above, below, states, limit]);
}

/** Finds calls of any application and user by their ids. */
export function findCallsByIds(
  { query }: Pick<Store, "query">,
  ids: number[],
): Promise<AnyCallRow[]> {
  return query<AnyCallRow>(BY_IDS, [ids]);
}

/** Finds the last call of a user with a sessionID; an empty list if there is none. */
export function findCallByCallId(
  { query }: Pick<Store, "query">,
  userId: number,
  callId: string,
): Promise<CallRow[]> {
  return query<CallRow>(BY_CALL_ID, [userId, callId]);
}

/** Finds the participants of calls, in the order of their first `call`. */
export function findParticipants(
  { query }: Pick<Store, "query">,
  callIds: number[],
): Promise<ParticipantRow[]> {
  return query<ParticipantRow>(PARTICIPANTS, [callIds]);
}
