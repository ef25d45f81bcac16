import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually } from "../moving-clock";
import type { TestNode } from "../node";
import { type TestUser } from "../rest-client";
import { sendInput } from "./send-input";

const FIELDS = `id callId callerId callType state startedAt acceptedAt endedAt hungUpById
  participants { userId caller state reason answeredAt device pushedAt user { id } }`;
const CALL = `query ($id: ID!) { call(callId: $id) { ${FIELDS} } }`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";

/** Subscription to the user's calls. */
export const CHANGES = `subscription { callChanges { ${FIELDS} } }`;

/** A call as its participants see it. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export type CallData = Record<string, any>;

let sessions = 0;

/** A unique sessionID. */
export const newSessionId = () => `${Date.now()}-${process.pid}-${++sessions}`;

/** Sends a signal over HTTP, from the device of the user's session. */
export async function send(
  node: TestNode,
  from: Pick<TestUser, "token">,
  to: Pick<TestUser, "id">,
  signalType: string,
  callId: string,
  fields: Record<string, unknown> = {},
): Promise<void> {
  const needs = { call: { callType: "VIDEO", sdp: "v=0" }, accept: { sdp: "v=0" } }[signalType];
  const input = { to: { userId: to.id }, signalType, callId, ...needs, ...fields };
  const { errors } = await graphql(node, SEND, { input: sendInput(input) }, from.token);
  if (errors) throw new Error(JSON.stringify(errors));
}

/** A call of the user, or the error code. */
export async function readCall(
  node: TestNode,
  { token }: Pick<TestUser, "token">,
  callId: string,
): Promise<CallData | string> {
  const { data, errors } = await graphql(node, CALL, { id: callId }, token);
  return data?.call ?? errors?.[0].extensions.code;
}

/** Waits until a call of the user, and optionally a participant, is in a state. */
export async function waitForCall(
  node: TestNode,
  user: Pick<TestUser, "token">,
  callId: string,
  state: string,
  part?: [user: Pick<TestUser, "id">, state: string],
): Promise<CallData> {
  const call = await eventually(
    () => readCall(node, user, callId),
    (each) =>
      typeof each !== "string" &&
      each.state === state &&
      (part === undefined || participantOf(each, part[0])?.state === part[1]),
  );
  return call as CallData;
}

/** A user's participation in a call. */
export function participantOf(call: CallData, { id }: Pick<TestUser, "id">): CallData | undefined {
  return call.participants.find((each: CallData) => each.userId === String(id));
}

/** Locks the tables of calls, which signals do not need. @returns releases the lock */
export async function lockCallTables({ app }: TestNode): Promise<() => Promise<void>> {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held: () => void = () => undefined;
  const holding = new Promise<void>((resolve) => {
    held = resolve;
  });
  const transaction = app.store.transaction(async ({ execute }) => {
    await execute("LOCK TABLE calls, call_participants IN ACCESS EXCLUSIVE MODE");
    held();
    await gate;
  });
  await holding;
  return async () => {
    release();
    await transaction;
  };
}

/** Inserts an ended call of a user whose callee was erased, with its first signal. @returns the id of its record */
export async function addCall(
  { sql, application }: TestNode,
  user: Pick<TestUser, "id">,
): Promise<number> {
  const [call] = await sql<{ id: number }>(
    `WITH made AS (
        INSERT INTO calls (application_id, session_id, caller_id, state, ended_at)
          VALUES ($1, $2, $3, 'missed', now()) RETURNING id, session_id, caller_id, started_at),
      caller AS (
        INSERT INTO call_participants (call_id, user_id, session_id, started_at, state, rang_at)
          SELECT id, caller_id, session_id, started_at, 'missed', started_at FROM made),
      signal AS (
        INSERT INTO call_signals (call_id, key, kind, from_user_id, from_device, first_at, last_at)
          SELECT id, gen_random_uuid(), 'call', caller_id, 'device', started_at, started_at FROM made)
      SELECT id::int AS id FROM made`,
    [application.id, newSessionId(), user.id],
  );
  return call?.id ?? 0;
}

/** Inserts a call that rings until it is ended. @returns the id of its record */
export async function addLiveCall(
  { sql, application }: TestNode,
  caller: Pick<TestUser, "id">,
  callee: Pick<TestUser, "id">,
): Promise<number> {
  const [call] = await sql<{ id: number }>(
    `WITH made AS (
        INSERT INTO calls (application_id, session_id, caller_id, state)
          VALUES ($1, $2, $3, 'ringing') RETURNING id, session_id, caller_id, started_at),
      participants AS (
        INSERT INTO call_participants (call_id, user_id, caller_id, session_id, started_at, state, rang_at)
          SELECT id, u, nullif(caller_id, u), session_id, started_at, 'ringing', started_at
          FROM made, unnest($4::bigint[]) AS u)
      SELECT id::int AS id FROM made`,
    [application.id, newSessionId(), caller.id, [caller.id, callee.id]],
  );
  return call?.id ?? 0;
}
