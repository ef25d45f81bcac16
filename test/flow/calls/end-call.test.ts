import { graphql } from "../../../tools/graphql/graphql-http";
import { APPLICATION_CALL } from "../../support/calls/application-calls";
import { type CallData, newSessionId, send, waitForCall } from "../../support/calls/calls";
import { connectGraphqlWs } from "../../support/calls/graphql-signals";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { DOMAIN } from "../../support/chat/chat";
import { eventually, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";

/** A member of the account ends a call that is in progress. */

const clock = new MovingClock();
let node: TestNode;
let developer: string;
let ann: TestUser;
let bob: TestUser;
let cleo: TestUser;
const closing: { close(): unknown }[] = [];

beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN }, { clock });
  developer = await memberToken(node, "developer", 24);
  [ann, bob, cleo] = [await newUser(node), await newUser(node), await newUser(node)];
  clock.hold(true);
});
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});
afterAll(() => node.stop());

const END = `mutation ($input: EndCallInput!) {
  endCall(input: $input) { call { ${APPLICATION_CALL} } }
}`;
const endCall = (id: string, token = developer) => graphql(node, END, { input: { id } }, token);
const codeOf = ({ errors }: Awaited<ReturnType<typeof endCall>>) => errors?.[0].extensions.code;

async function opened<T extends { close(): unknown }>(connecting: Promise<T>): Promise<T> {
  const connection = await connecting;
  closing.push(connection);
  return connection;
}

/** Starts a call that the callees accept. @returns its sessionID and the id of its record */
async function accepted(...callees: TestUser[]): Promise<{ callId: string; id: string }> {
  const callId = newSessionId();
  for (const callee of callees) {
    await send(node, ann, callee, "call", callId);
    clock.advance(100);
    await send(node, callee, ann, "accept", callId);
  }
  const { id } = await waitForCall(node, ann, callId, "ACCEPTED");
  clock.advance(1_000);
  return { callId, id };
}

it("sends each participant a hangUp from the others, over any protocol, and names the reason", async () => {
  const near = await opened(connectGraphqlWs(node, ann));
  const far = await opened(rawChat(node, bob, "phone"));
  const { callId, id } = await accepted(bob);
  near.discard();
  const { data } = await endCall(id);
  expect(data.endCall.call).toMatchObject({
    callId,
    state: "HUNG_UP",
    endReason: "ENDED_BY_MEMBER",
    hungUpById: null,
    endedAt: expect.any(String),
    participants: [{ state: "HUNG_UP" }, { state: "HUNG_UP" }],
  });
  expect(await near.next()).toMatchObject({
    signalType: "hangUp",
    callId,
    callerId: String(ann.id),
    from: { userId: String(bob.id), device: null },
  });
  for (;;) {
    const stanza = JSON.stringify(await far.next());
    if (!stanza.includes("hangUp")) continue;
    expect(stanza).toContain(callId);
    expect(stanza).toContain(`"${jidOf(node, ann)}"`);
    break;
  }
});

it("ends a group call for everybody, and one that rings", async () => {
  const { id } = await accepted(bob, cleo);
  const sockets = await Promise.all(
    [ann, bob, cleo].map((user) => opened(connectGraphqlWs(node, user))),
  );
  expect((await endCall(id)).data.endCall.call.state).toBe("HUNG_UP");
  for (const socket of sockets) {
    const senders = new Set<string>();
    while (senders.size < 2) {
      const { signalType, from } = await socket.next();
      if (signalType === "hangUp") senders.add(from.userId);
    }
  }
  const callId = newSessionId();
  await send(node, ann, bob, "call", callId);
  const ringing = await waitForCall(node, ann, callId, "RINGING");
  expect((await endCall(ringing.id)).data.endCall.call).toMatchObject({
    endReason: "ENDED_BY_MEMBER",
    acceptedAt: null,
  });
});

it("can be repeated when a node of an earlier version has stored the call as in progress", async () => {
  const { id } = await accepted(bob);
  await endCall(id);
  await node.sql(`UPDATE calls SET state = 'accepted', ended_at = NULL WHERE id = ${id}`);
  await node.sql(`UPDATE call_participants SET state = 'accepted' WHERE call_id = ${id}`);
  expect((await endCall(id)).data.endCall.call).toMatchObject({
    state: "HUNG_UP",
    endReason: "ENDED_BY_MEMBER",
  });
  const states = `SELECT c.state::text, c.ended_at IS NULL AS open, p.state::text AS participant
    FROM calls c JOIN call_participants p ON p.call_id = c.id WHERE c.id = ${id}`;
  const ended = { state: "hung_up", open: false, participant: "hung_up" };
  expect(await node.sql(states)).toEqual([ended, ended]);
});

it("is final: later signals are part of the timeline only", async () => {
  const { callId, id } = await accepted(bob);
  await endCall(id);
  clock.advance(1_000);
  await send(node, bob, ann, "hangUp", callId);
  await send(node, ann, bob, "call", callId);
  await send(node, ann, bob, "update", callId, { parameters: {} });
  const readCall = `query ($id: ID!) { call(id: $id) { ${APPLICATION_CALL} } }`;
  // The repeated call is an entry with the first one.
  const call = await eventually(
    async (): Promise<CallData> => (await graphql(node, readCall, { id }, developer)).data.call,
    ({ timeline }) => timeline.some(({ kind }: { kind: string }) => kind === "UPDATE"),
  );
  expect(call.timeline.map(({ kind }: { kind: string }) => kind)).toContain("HANG_UP");
  expect(call).toMatchObject({
    state: "HUNG_UP",
    endReason: "ENDED_BY_MEMBER",
    hungUpById: null,
    participants: [{ state: "HUNG_UP" }, { state: "HUNG_UP" }],
  });
});

it("can be repeated, and is refused once the call has ended otherwise", async () => {
  const { id } = await accepted(bob);
  expect(codeOf(await endCall(id))).toBeUndefined();
  const near = await opened(connectGraphqlWs(node, ann));
  near.discard();
  expect((await endCall(id)).data.endCall.call.endReason).toBe("ENDED_BY_MEMBER");
  const other = await accepted(bob);
  await send(node, ann, bob, "hangUp", other.callId);
  await waitForCall(node, ann, other.callId, "HUNG_UP");
  const refused = await endCall(other.id);
  expect([codeOf(refused), refused.errors?.[0].message]).toEqual([
    "CONFLICT",
    "The call has already ended",
  ]);
});

it("is for developers and owners, and leaves an entry of the audit log", async () => {
  const { id } = await accepted(bob);
  expect(codeOf(await endCall(id, await memberToken(node, "support", 24)))).toBe("FORBIDDEN");
  expect(codeOf(await endCall(id, ann.token))).toBe("FORBIDDEN");
  expect(codeOf(await endCall("999999"))).toBe("NOT_FOUND");
  expect(codeOf(await endCall(id, await ownerToken(node, 24)))).toBeUndefined();
  expect(
    await node.sql(
      `SELECT role::text, outcome::text, targets, application_id FROM audit_entries
        WHERE action = 'endCall' AND outcome = 'succeeded' ORDER BY id DESC LIMIT 1`,
    ),
  ).toEqual([
    {
      role: "owner",
      outcome: "succeeded",
      targets: expect.arrayContaining([{ name: "id", id }]),
      application_id: node.application.id,
    },
  ]);
});
