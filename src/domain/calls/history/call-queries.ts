import type { Statement, Transaction } from "../../../platform/store/store";
import type { CallEvent } from "./call-event";
import type { Callee, CalleeAnswer, CallState, DerivedState } from "./call-states";
import { missedAt } from "./call-states";
import { type HangUp, storedHangUps } from "./hang-ups";
import type { RecordedCall } from "./recorded-calls";

/** Maximum number of a user's calls with one sessionID that a signal is matched against. */
const CANDIDATES_MAX = 16;

/** Inserts new calls and their callers as participants. Ordered by key, to avoid deadlocks between nodes. */
const INSERT_CALLS: Statement = {
  name: "begin_calls",
  text: `WITH made AS (
      INSERT INTO calls (application_id, session_id, caller_id, call_type, started_at)
      SELECT g.application_id, g.session_id, g.caller_id, g.call_type, g.started_at
      FROM jsonb_to_recordset($1::text::jsonb) AS g(application_id bigint, session_id text,
        caller_id bigint, call_type int, started_at timestamptz)
      JOIN users u ON u.id = g.caller_id AND u.application_id = g.application_id
      ORDER BY g.application_id, g.session_id, g.caller_id
      ON CONFLICT (application_id, session_id, caller_id) DO NOTHING
      RETURNING id, application_id, session_id, caller_id, started_at),
    callers AS (INSERT INTO call_participants (call_id, user_id, session_id, started_at, rang_at, changed_at)
      SELECT m.id, m.caller_id, m.session_id, m.started_at, m.started_at, m.started_at FROM made m)
    SELECT m.application_id FROM made m`,
};

const CALL_COLUMNS = `c.id, c.application_id, c.session_id, c.caller_id, c.started_at, c.state,
  c.unreachable_since, c.ended_by_member_at
  FROM calls c`;

/** Locks calls in the order of their ids, to avoid deadlocks between nodes. */
const LOCK_MATCHING: Statement = {
  name: "lock_matching_calls",
  text: `SELECT ${CALL_COLUMNS} WHERE c.id = ANY(ARRAY(
      SELECT f.call_id FROM jsonb_to_recordset($1::text::jsonb) AS g(user_id bigint, session_id text)
      CROSS JOIN LATERAL (SELECT p.call_id FROM call_participants p
        WHERE p.user_id = g.user_id AND p.session_id = g.session_id
        ORDER BY p.call_id DESC LIMIT ${CANDIDATES_MAX}) f))
    ORDER BY c.id FOR NO KEY UPDATE`,
};

const LOCK_BY_ID: Statement = {
  name: "lock_calls",
  text: `SELECT ${CALL_COLUMNS} WHERE c.id = ANY($1::bigint[]) ORDER BY c.id FOR NO KEY UPDATE`,
};

const PARTICIPANTS: Statement = {
  name: "callees_of_calls",
  text: `SELECT p.call_id, p.user_id, p.rang_at, p.answer, p.answered_at, p.device, p.left_at,
      p.dropped_at, p.hang_ups, p.expired_at, p.pushed_at
    FROM call_participants p WHERE p.call_id = ANY($1::bigint[])`,
};

const SAVE_PARTICIPANTS: Statement = {
  name: "save_call_participants",
  text: `INSERT INTO call_participants (call_id, user_id, caller_id, session_id, started_at, state, rang_at, answer,
      answered_at, device, left_at, dropped_at, hang_ups, expired_at, missed_at, changed_at)
    SELECT g.call_id, g.user_id, g.caller_id, g.session_id, g.started_at, g.state, g.rang_at, g.answer,
      g.answered_at, g.device, g.left_at, g.dropped_at, g.hang_ups, g.expired_at, g.missed_at, $2::timestamptz
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint, caller_id bigint, session_id text,
      started_at timestamptz, state call_state, rang_at timestamptz, answer call_answer, answered_at timestamptz, device text,
      left_at timestamptz, dropped_at timestamptz, hang_ups jsonb, expired_at timestamptz, missed_at timestamptz)
    JOIN users u ON u.id = g.user_id
    ON CONFLICT (call_id, user_id) DO UPDATE SET caller_id = excluded.caller_id, state = excluded.state,
      rang_at = excluded.rang_at,
      answer = excluded.answer, answered_at = excluded.answered_at, device = excluded.device,
      left_at = excluded.left_at, dropped_at = excluded.dropped_at, hang_ups = excluded.hang_ups,
      expired_at = excluded.expired_at, missed_at = excluded.missed_at, changed_at = excluded.changed_at
    RETURNING call_id, user_id, state, pushed_at`,
};

const SAVE_CALLS: Statement = {
  name: "save_calls",
  text: `UPDATE calls c SET state = g.state, accepted_at = g.accepted_at, ended_at = g.ended_at,
      unreachable_since = g.unreachable_since, ended_by_member_at = g.ended_by_member_at
    FROM jsonb_to_recordset($1::text::jsonb) AS g(id bigint, state call_state, accepted_at timestamptz,
      ended_at timestamptz, unreachable_since timestamptz, ended_by_member_at timestamptz) WHERE c.id = g.id`,
};

const MARK_TRUNCATED: Statement = {
  name: "mark_truncated_calls",
  text: "UPDATE calls SET signals_truncated = true WHERE id = ANY($1::bigint[]) AND NOT signals_truncated",
};

interface CallRow {
  id: number;
  application_id: number;
  session_id: string;
  caller_id: number | null;
  started_at: Date;
  state: CallState;
  unreachable_since: Date | null;
  ended_by_member_at: Date | null;
}

/** A row of call_participants, as {@link toCallee} reads it. */
export interface CalleeRow {
  call_id: number;
  user_id: number;
  rang_at: Date;
  answer: CalleeAnswer | null;
  answered_at: Date | null;
  device: string | null;
  left_at: Date | null;
  dropped_at: Date | null;
  hang_ups: HangUp[] | null;
  expired_at: Date | null;
}

/** A participant as it was saved. */
export interface SavedParticipant {
  call_id: number;
  user_id: number;
  state: CallState;
  pushed_at: Date | null;
}

type Query = Pick<Transaction, "query">;

/** Inserts calls that do not exist yet. @returns the application of each inserted call */
export async function insertCalls(
  { query }: Query,
  events: ReadonlyArray<CallEvent & { kind: "call" }>,
): Promise<number[]> {
  const calls = new Map<string, object>();
  for (const { applicationId, callId, from, callType, at } of events) {
    const key = JSON.stringify([applicationId, callId, from]);
    // Keeps the first of several repeats; events are in the order of observation.
    if (calls.has(key)) continue;
    calls.set(key, {
      application_id: applicationId,
      session_id: callId,
      caller_id: from,
      call_type: callType,
      started_at: new Date(at),
    });
  }
  if (calls.size === 0) return [];
  const values = [JSON.stringify([...calls.values()])];
  const made = await query<{ application_id: number }>(INSERT_CALLS, values);
  return made.map(({ application_id: id }) => id);
}

/** Locks and reads the calls that events may belong to. */
export async function lockMatching(
  transaction: Query,
  events: readonly CallEvent[],
): Promise<RecordedCall[]> {
  const keys = new Map(
    events.map(({ from, callId }) => [
      JSON.stringify([from, callId]),
      { user_id: from, session_id: callId },
    ]),
  );
  const values = [JSON.stringify([...keys.values()])];
  return withParticipants(transaction, await transaction.query<CallRow>(LOCK_MATCHING, values));
}

/** Locks and reads calls by id. */
export async function lockCalls(
  transaction: Query,
  ids: readonly number[],
): Promise<RecordedCall[]> {
  return withParticipants(transaction, await transaction.query<CallRow>(LOCK_BY_ID, [ids]));
}

async function withParticipants({ query }: Query, rows: CallRow[]): Promise<RecordedCall[]> {
  if (rows.length === 0) return [];
  const calls = new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        applicationId: row.application_id,
        callId: row.session_id,
        callerId: row.caller_id,
        startedAt: row.started_at.getTime(),
        state: row.state,
        unreachableSince: row.unreachable_since?.getTime() ?? null,
        lost: row.state === "lost",
        endedByMemberAt: row.ended_by_member_at?.getTime() ?? null,
        callees: new Map<number, Callee>(),
        pushed: new Set<number>(),
      },
    ]),
  );
  const participants = await query<CalleeRow & { pushed_at: Date | null }>(PARTICIPANTS, [
    [...calls.keys()],
  ]);
  for (const row of participants) {
    const call = calls.get(row.call_id);
    if (!call || row.user_id === call.callerId) continue;
    call.callees.set(row.user_id, toCallee(row));
    if (row.pushed_at !== null) call.pushed.add(row.user_id);
  }
  return [...calls.values()];
}

/** Saves the states of calls and of their participants. Returns the participants. */
export async function saveCalls(
  { query }: Query,
  states: ReadonlyMap<RecordedCall, DerivedState>,
  now: number,
): Promise<SavedParticipant[]> {
  if (states.size === 0) return [];
  const calls = [...states].map(([call, { state, acceptedAt, endedAt }]) => ({
    id: call.id,
    state,
    accepted_at: time(acceptedAt),
    ended_at: time(endedAt),
    unreachable_since: time(call.unreachableSince),
    ended_by_member_at: time(call.endedByMemberAt),
  }));
  await query(SAVE_CALLS, [JSON.stringify(calls)]);
  const rows = [...states].flatMap(([call, derived]) => participantRows(call, derived));
  return query<SavedParticipant>(SAVE_PARTICIPANTS, [JSON.stringify(rows), new Date(now)]);
}

/** Notes that calls had more signals than their timelines keep. */
export async function markTruncated({ query }: Query, ids: number[]): Promise<void> {
  await query(MARK_TRUNCATED, [ids]);
}

function participantRows(call: RecordedCall, derived: DerivedState): object[] {
  const key = { call_id: call.id, session_id: call.callId, started_at: time(call.startedAt) };
  const rows: object[] = [...derived.callees].flatMap(([userId, participant]) => {
    const callee = call.callees.get(userId);
    if (!callee) return [];
    return [
      {
        ...key,
        user_id: userId,
        caller_id: call.callerId,
        state: participant.state,
        answer: callee.answer,
        rang_at: time(callee.rangAt),
        answered_at: time(callee.answeredAt),
        device: callee.device,
        left_at: time(callee.leftAt),
        dropped_at: time(callee.droppedAt),
        expired_at: time(callee.expiredAt),
        hang_ups: callee.hangUps,
        missed_at: time(missedAt(callee, participant)),
      },
    ];
  });
  if (call.callerId !== null) {
    const rang = { rang_at: time(call.startedAt) };
    rows.push({ ...key, user_id: call.callerId, state: derived.caller, ...rang });
  }
  return rows;
}

function time(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** Converts a row to what was observed of a callee. */
export function toCallee(row: CalleeRow): Callee {
  const ended = {
    leftAt: row.left_at?.getTime() ?? null,
    droppedAt: row.dropped_at?.getTime() ?? null,
  };
  return {
    userId: row.user_id,
    rangAt: row.rang_at.getTime(),
    answer: row.answer,
    answeredAt: row.answered_at?.getTime() ?? null,
    device: row.device,
    ...ended,
    hangUps: storedHangUps(row.hang_ups, ended),
    expiredAt: row.expired_at?.getTime() ?? null,
  };
}
