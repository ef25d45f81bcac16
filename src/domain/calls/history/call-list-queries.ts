import { cappedCount, countUpTo } from "../../../platform/store/rows/capped-counts";
import {
  type IdRange,
  keyset,
  readRange,
  type TimeIdRange,
} from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import type { CalleeRow } from "./call-queries";
import type { CallState } from "./call-states";

/**
 * Statements that read calls and call_participants. A function throws Fault UNAVAILABLE if the database cannot be
 * reached.
 */

/** The columns of {@link CallRow}, from the table with the alias `c`. */
const COLUMNS = `c.id, c.application_id, c.session_id, c.caller_id, c.call_type, c.state, c.started_at, c.accepted_at,
  c.ended_at, c.ended_by_member_at, c.signals_truncated`;

const OF_USER = keyset(
  { name: "calls_of_user", values: 2, columns: { "p.call_id": "?::bigint" } },
  ({
    within,
    order,
    limit,
  }) => `SELECT ${COLUMNS} FROM call_participants p JOIN calls c ON c.id = p.call_id
    WHERE p.user_id = $1 AND ${within}
      AND (c.state = ANY($2::text[]::call_state[]) OR $2::text[] IS NULL)
    ORDER BY ${order} LIMIT ${limit}`,
);

/** Reads each state by its part of the index, up to the limit, and merges the parts. */
const OF_APPLICATION = keyset(
  {
    name: "application_calls",
    values: 2,
    columns: { "c.started_at": "?::timestamptz", "c.id": "?::bigint" },
  },
  ({ within, order, limit }) => `SELECT c.* FROM unnest($2::text[]::call_state[]) AS f(wanted)
    CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM calls c
      WHERE c.application_id = $1 AND c.state = f.wanted AND ${within} ORDER BY ${order} LIMIT ${limit}) AS c
    ORDER BY ${order} LIMIT ${limit}`,
);

const OF_USER_IN_APPLICATION = keyset(
  {
    name: "application_calls_of_user",
    values: 3,
    columns: { "p.started_at": "?::timestamptz", "p.call_id": "?::bigint" },
  },
  ({
    within,
    order,
    limit,
  }) => `SELECT ${COLUMNS} FROM call_participants p JOIN calls c ON c.id = p.call_id
    WHERE p.user_id = $3 AND c.application_id = $1 AND c.state = ANY($2::text[]::call_state[]) AND ${within}
    ORDER BY ${order} LIMIT ${limit}`,
);

const BY_IDS: Statement = {
  name: "calls_by_ids",
  text: `SELECT ${COLUMNS} FROM calls c WHERE c.id = ANY($1::bigint[])`,
};

const BY_CALL_ID: Statement = {
  name: "call_by_session",
  text: `SELECT ${COLUMNS} FROM call_participants p JOIN calls c ON c.id = p.call_id
    WHERE p.user_id = $1 AND p.session_id = $2 ORDER BY p.call_id DESC LIMIT 1`,
};

/** Ordered by an index, so that the count stops at the limit. */
const OPEN_CALLS = cappedCount(
  "open_calls_count",
  `FROM unnest('{ringing,accepted}'::call_state[]) AS t(state) CROSS JOIN LATERAL (
      SELECT 1 FROM calls WHERE application_id = g.id AND state = t.state AND started_at > $3
      ORDER BY started_at DESC, id DESC LIMIT $2) AS open`,
);

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
  application_id: number;
  session_id: string;
  caller_id: number | null;
  call_type: number | null;
  state: CallState;
  started_at: Date;
  accepted_at: Date | null;
  ended_at: Date | null;
  ended_by_member_at: Date | null;
  signals_truncated: boolean;
}

/** A row of a participant. */
export type ParticipantRow = CalleeRow & { state: CallState; pushed_at: Date | null };

/** Lists calls of a user in a range of ids, in its direction; null for calls in any state. */
export function listCallsOfUser(
  { query }: Pick<Store, "query">,
  userId: number,
  states: readonly CallState[] | null,
  range: IdRange,
): Promise<CallRow[]> {
  return readRange<CallRow>(query, OF_USER, [userId, states], range);
}

/** Which calls of an application to list. */
export interface ListedCalls {
  applicationId: number;
  states: readonly CallState[];
  /** Null for the calls of all users. */
  userId: number | null;
}

/** Lists calls of an application in a range of times and ids, in its direction. */
export function listCallsOfApplication(
  { query }: Pick<Store, "query">,
  { applicationId, states, userId }: ListedCalls,
  range: TimeIdRange,
): Promise<CallRow[]> {
  const values = [applicationId, states];
  return userId === null
    ? readRange<CallRow>(query, OF_APPLICATION, values, range)
    : readRange<CallRow>(query, OF_USER_IN_APPLICATION, [...values, userId], range);
}

/** Finds calls of any application and user by their ids. */
export function findCallsByIds({ query }: Pick<Store, "query">, ids: number[]): Promise<CallRow[]> {
  return query<CallRow>(BY_IDS, [ids]);
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

/**
 * Counts the calls of applications that ring or are accepted, and started after a time, up to a limit.
 * @throws Fault UNAVAILABLE if the database cannot be reached
 */
export function countOpenCalls(
  store: Pick<Store, "query">,
  applicationIds: readonly number[],
  after: Date,
  max: number,
): Promise<number> {
  return countUpTo(store, OPEN_CALLS, applicationIds, max, after);
}
