import { graphql, type TestUser } from "./client";
import { eventually } from "./moving-clock";
import type { TestNode } from "./node";

const FIELDS = `id sessionId callerId callType state startedAt acceptedAt endedAt hungUpById
  participants { userId caller state reason answeredAt device wokenAt user { id } }`;
const CALL = `query ($id: String!) { call(sessionId: $id) { ${FIELDS} } }`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";

/** The subscription to one's own calls. */
export const CHANGES = `subscription { callChanges { ${FIELDS} } }`;

/** A call as its participants see it. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export type ShownCall = Record<string, any>;

let sessions = 0;

/** A sessionID that nothing else has. */
export const newSessionId = () => `${Date.now()}-${process.pid}-${++sessions}`;

/** Sends a signal over HTTP, from the device of the user's session. */
export async function send(
  node: TestNode,
  from: Pick<TestUser, "token">,
  to: Pick<TestUser, "id">,
  signalType: string,
  sessionId: string,
  fields: Record<string, unknown> = {},
): Promise<void> {
  const needs = { call: { callType: "VIDEO", sdp: "v=0" }, accept: { sdp: "v=0" } }[signalType];
  const input = { to: { userId: to.id }, signalType, sessionId, ...needs, ...fields };
  const { errors } = await graphql(node, SEND, { input }, from.token);
  if (errors) throw new Error(JSON.stringify(errors));
}

/** One's own call, or the code of the refusal. */
export async function readCall(
  node: TestNode,
  { token }: Pick<TestUser, "token">,
  sessionId: string,
): Promise<ShownCall | string> {
  const { data, errors } = await graphql(node, CALL, { id: sessionId }, token);
  return data?.call ?? errors?.[0].extensions.code;
}

/** One's own call once it is in a state, and, if asked for, once a user's part is. */
export async function callIn(
  node: TestNode,
  user: Pick<TestUser, "token">,
  sessionId: string,
  state: string,
  part?: [user: Pick<TestUser, "id">, state: string],
): Promise<ShownCall> {
  const call = await eventually(
    () => readCall(node, user, sessionId),
    (each) =>
      typeof each !== "string" &&
      each.state === state &&
      (part === undefined || partOf(each, part[0])?.state === part[1]),
  );
  return call as ShownCall;
}

/** A user's part in a call. */
export function partOf(call: ShownCall, { id }: Pick<TestUser, "id">): ShownCall | undefined {
  return call.participants.find((each: ShownCall) => each.userId === id);
}

/** Keeps the tables of calls from being written until the answer is called; signals need none of it. */
export async function holdCalls({ app }: TestNode): Promise<() => Promise<void>> {
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
