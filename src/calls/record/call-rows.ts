import type { Statement, Transaction } from "../../store/store";
import type { CallEvent } from "./call-event";
import type { CallAnswer, Callee, CallState, Judgement } from "./call-states";
import { missedAt } from "./call-states";
import { type HangUp, storedHangUps } from "./hang-ups";
import type { KnownCall } from "./known-calls";

/** Calls of one sessionID that a user takes part in and that a signal may be about, at most. */
const CANDIDATES = 16;

/** Calls that are new, with their callers' parts. In the order of the key, as every node writes them. */
const BEGIN: Statement = {
  name: "begin_calls",
  text: `WITH made AS (
      INSERT INTO calls (application_id, session_id, caller_id, call_type, started_at)
      SELECT g.application_id, g.session_id, g.caller_id, g.call_type, g.started_at
      FROM jsonb_to_recordset($1::text::jsonb) AS g(application_id bigint, session_id text,
        caller_id bigint, call_type int, started_at timestamptz)
      JOIN users u ON u.id = g.caller_id AND u.application_id = g.application_id
      ORDER BY g.application_id, g.session_id, g.caller_id
      ON CONFLICT (application_id, session_id, caller_id) DO NOTHING
      RETURNING id, session_id, caller_id, started_at)
    INSERT INTO call_participants (call_id, user_id, session_id, rang_at, changed_at)
    SELECT m.id, m.caller_id, m.session_id, m.started_at, m.started_at FROM made m`,
};

const CALL_COLUMNS = `c.id, c.application_id, c.session_id, c.caller_id, c.started_at, c.state
  FROM calls c`;

/** In the order of their ids, so that no two nodes wait for each other. */
const LOCK_MEANT: Statement = {
  name: "lock_meant_calls",
  text: `SELECT ${CALL_COLUMNS} WHERE c.id = ANY(ARRAY(
      SELECT f.call_id FROM jsonb_to_recordset($1::text::jsonb) AS g(user_id bigint, session_id text)
      CROSS JOIN LATERAL (SELECT p.call_id FROM call_participants p
        WHERE p.user_id = g.user_id AND p.session_id = g.session_id
        ORDER BY p.call_id DESC LIMIT ${CANDIDATES}) f))
    ORDER BY c.id FOR NO KEY UPDATE`,
};

const LOCK_THESE: Statement = {
  name: "lock_calls",
  text: `SELECT ${CALL_COLUMNS} WHERE c.id = ANY($1::bigint[]) ORDER BY c.id FOR NO KEY UPDATE`,
};

const PARTS: Statement = {
  name: "parts_of_calls",
  text: `SELECT p.call_id, p.user_id, p.rang_at, p.answer, p.answered_at, p.device, p.left_at,
      p.dropped_at, p.hang_ups, p.expired_at, p.woken_at
    FROM call_participants p WHERE p.call_id = ANY($1::bigint[])`,
};

const SAVE_PARTS: Statement = {
  name: "save_call_parts",
  text: `INSERT INTO call_participants (call_id, user_id, session_id, state, rang_at, answer,
      answered_at, device, left_at, dropped_at, hang_ups, expired_at, missed_at, changed_at)
    SELECT g.call_id, g.user_id, g.session_id, g.state, g.rang_at, g.answer, g.answered_at, g.device,
      g.left_at, g.dropped_at, g.hang_ups, g.expired_at, g.missed_at, $2::timestamptz
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint, session_id text,
      state call_state, rang_at timestamptz, answer call_answer, answered_at timestamptz, device text,
      left_at timestamptz, dropped_at timestamptz, hang_ups jsonb, expired_at timestamptz, missed_at timestamptz)
    JOIN users u ON u.id = g.user_id
    ON CONFLICT (call_id, user_id) DO UPDATE SET state = excluded.state, rang_at = excluded.rang_at,
      answer = excluded.answer, answered_at = excluded.answered_at, device = excluded.device,
      left_at = excluded.left_at, dropped_at = excluded.dropped_at, hang_ups = excluded.hang_ups,
      expired_at = excluded.expired_at, missed_at = excluded.missed_at, changed_at = excluded.changed_at
    RETURNING call_id, user_id, state, woken_at`,
};

const SAVE_CALLS: Statement = {
  name: "save_calls",
  text: `UPDATE calls c SET state = g.state, accepted_at = g.accepted_at, ended_at = g.ended_at
    FROM jsonb_to_recordset($1::text::jsonb) AS g(id bigint, state call_state,
      accepted_at timestamptz, ended_at timestamptz) WHERE c.id = g.id`,
};

interface CallRow {
  id: number;
  application_id: number;
  session_id: string;
  caller_id: number | null;
  started_at: Date;
  state: CallState;
}

/** A row of a user's part, as {@link toCallee} reads it. */
export interface PartRow {
  call_id: number;
  user_id: number;
  rang_at: Date;
  answer: CallAnswer | null;
  answered_at: Date | null;
  device: string | null;
  left_at: Date | null;
  dropped_at: Date | null;
  hang_ups: HangUp[] | null;
  expired_at: Date | null;
}

/** A part as it was written. */
export interface SavedPart {
  call_id: number;
  user_id: number;
  state: CallState;
  woken_at: Date | null;
}

type Query = Pick<Transaction, "query">;

/** Writes calls that are new; what is there stays as it is. */
export async function beginCalls(
  { query }: Query,
  events: ReadonlyArray<CallEvent & { kind: "call" }>,
): Promise<void> {
  const calls = new Map<string, object>();
  for (const { applicationId, sessionId, from, callType, at } of events) {
    const key = JSON.stringify([applicationId, sessionId, from]);
    // Of repeats the first: events come in the order in which they were seen.
    if (calls.has(key)) continue;
    calls.set(key, {
      ...{ application_id: applicationId, session_id: sessionId, caller_id: from },
      ...{ call_type: callType, started_at: new Date(at) },
    });
  }
  if (calls.size > 0) await query(BEGIN, [JSON.stringify([...calls.values()])]);
}

/** Locks the calls that events may be about, and reads them. */
export async function lockMeant(
  transaction: Query,
  events: readonly CallEvent[],
): Promise<KnownCall[]> {
  const keys = new Map(
    events.map(({ from, sessionId }) => [
      JSON.stringify([from, sessionId]),
      { user_id: from, session_id: sessionId },
    ]),
  );
  const rows = await transaction.query<CallRow>(LOCK_MEANT, [JSON.stringify([...keys.values()])]);
  return withParts(transaction, rows);
}

/** Locks calls by id, and reads them. */
export async function lockCalls(transaction: Query, ids: readonly number[]): Promise<KnownCall[]> {
  return withParts(transaction, await transaction.query<CallRow>(LOCK_THESE, [ids]));
}

async function withParts({ query }: Query, rows: CallRow[]): Promise<KnownCall[]> {
  if (rows.length === 0) return [];
  const calls = new Map(
    rows.map((row) => [
      row.id,
      {
        ...{ id: row.id, applicationId: row.application_id, sessionId: row.session_id },
        ...{ callerId: row.caller_id, startedAt: row.started_at.getTime(), state: row.state },
        ...{ callees: new Map<number, Callee>(), woken: new Set<number>() },
      },
    ]),
  );
  const parts = await query<PartRow & { woken_at: Date | null }>(PARTS, [[...calls.keys()]]);
  for (const row of parts) {
    const call = calls.get(row.call_id);
    if (!call || row.user_id === call.callerId) continue;
    call.callees.set(row.user_id, toCallee(row));
    if (row.woken_at !== null) call.woken.add(row.user_id);
  }
  return [...calls.values()];
}

/** Writes what follows for calls; answers the parts of everybody in them. */
export async function saveCalls(
  { query }: Query,
  judged: ReadonlyMap<KnownCall, Judgement>,
  now: number,
): Promise<SavedPart[]> {
  if (judged.size === 0) return [];
  const calls = [...judged].map(([{ id }, { state, acceptedAt, endedAt }]) => ({
    ...{ id, state, accepted_at: time(acceptedAt), ended_at: time(endedAt) },
  }));
  await query(SAVE_CALLS, [JSON.stringify(calls)]);
  const parts = [...judged].flatMap(([call, judgement]) => partsOf(call, judgement));
  return query<SavedPart>(SAVE_PARTS, [JSON.stringify(parts), new Date(now)]);
}

function partsOf(call: KnownCall, judgement: Judgement): object[] {
  const key = { call_id: call.id, session_id: call.sessionId };
  const parts: object[] = [...judgement.callees].flatMap(([userId, part]) => {
    const callee = call.callees.get(userId);
    if (!callee) return [];
    return [
      {
        ...{ ...key, user_id: userId, state: part.state, answer: callee.answer },
        ...{ rang_at: time(callee.rangAt), answered_at: time(callee.answeredAt) },
        ...{ device: callee.device, left_at: time(callee.leftAt) },
        ...{ dropped_at: time(callee.droppedAt), expired_at: time(callee.expiredAt) },
        ...{ hang_ups: callee.hangUps, missed_at: time(missedAt(callee, part)) },
      },
    ];
  });
  if (call.callerId !== null) {
    const rang = { rang_at: time(call.startedAt) };
    parts.push({ ...key, user_id: call.callerId, state: judgement.caller, ...rang });
  }
  return parts;
}

function time(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

/** What was seen of a callee. */
export function toCallee(row: PartRow): Callee {
  const over = {
    leftAt: row.left_at?.getTime() ?? null,
    droppedAt: row.dropped_at?.getTime() ?? null,
  };
  return {
    userId: row.user_id,
    rangAt: row.rang_at.getTime(),
    answer: row.answer,
    answeredAt: row.answered_at?.getTime() ?? null,
    device: row.device,
    ...{ ...over, hangUps: storedHangUps(row.hang_ups, over) },
    expiredAt: row.expired_at?.getTime() ?? null,
  };
}
