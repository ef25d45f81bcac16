import { Fault } from "../../../src/core/errors";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newSessionId } from "../../support/calls/calls";
import { sendInput } from "../../support/calls/send-input";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { DOMAIN } from "../../support/chat/chat";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newGuest, newUser, type TestUser } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** A user starts a limited number of new calls in a minute, over all protocols: each makes rows that stay. */

const MAX = 5;
const clock = new MovingClock();
let node: TestNode;
let victim: TestUser;

beforeAll(async () => {
  clock.hold(true);
  // A single node counts by the test's clock.
  node = await startNode(
    { REDIS_URL: "", CHAT_DOMAIN: DOMAIN, RATE_NEW_CALLS_PER_USER: String(MAX) },
    { clock },
  );
  victim = await newUser(node);
});
afterAll(() => node.stop());

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** Sends a signal to the victim. @returns the error code, or OK */
async function send(from: Pick<TestUser, "token">, signalType: string, callId = newSessionId()) {
  const needs = { call: { callType: "VIDEO", sdp: "v=0" }, accept: { sdp: "v=0" } }[signalType];
  const input = sendInput({ to: { userId: victim.id }, signalType, callId, ...needs });
  const { errors } = await graphql(node, SEND, { input }, from.token);
  return errors?.[0].extensions ?? { code: "OK" };
}

const rowsOf = async ({ id }: Pick<TestUser, "id">) =>
  (await node.sql("SELECT 1 FROM calls WHERE caller_id = $1", [id])).length;

it("refuses the next new call of a guest, over every protocol, and no repeat and no other signal", async () => {
  const guest = await newGuest(node);
  const first = newSessionId();
  for (let repeat = 0; repeat < 3; repeat += 1)
    expect((await send(guest, "call", first)).code).toBe("OK");
  for (let count = 1; count < MAX; count += 1) expect((await send(guest, "call")).code).toBe("OK");
  const refused = await send(guest, "call");
  expect(refused).toMatchObject({ code: "LIMITED", retryAfter: expect.any(Number) });
  const other = await newUser(node);
  const chat = await rawChat(node, other, "phone");
  try {
    for (let count = 0; count < MAX; count += 1)
      expect((await send(other, "call")).code).toBe("OK");
    chat.send(
      `<message xmlns="jabber:client" type="headline" id="new" to="${jidOf(node, victim)}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType><sessionID>${newSessionId()}</sessionID><sdp>v=0</sdp></extraParams></message>`,
    );
    expect(JSON.stringify(await chat.next())).toMatch(/"id":"new".*resource-constraint/);
  } finally {
    await chat.close();
  }
  expect((await send(guest, "call", first)).code).toBe("OK");
  expect((await send(guest, "hangUp", first)).code).toBe("OK");
  expect((await send(guest, "update", newSessionId())).code).toBe("OK");
  clock.advance(MINUTE);
  expect((await send(guest, "call")).code).toBe("OK");
  expect(await rowsOf(guest)).toBeLessThanOrEqual(MAX + 1);
});

it("counts by the number of the deployment while the application's cannot be read", async () => {
  const { store } = node.app;
  const query = store.query.bind(store);
  const caller = await newUser(node);
  store.query = async (statement, values) => {
    if (statement.name === "new_calls_per_minute") throw new Fault("UNAVAILABLE", "away");
    return query(statement, values);
  };
  try {
    for (let count = 0; count < MAX; count += 1)
      expect((await send(caller, "call")).code).toBe("OK");
    expect((await send(caller, "call")).code).toBe("LIMITED");
  } finally {
    store.query = query;
  }
});

it("takes the number of the application, for instance of a contact centre, in place of the deployment's", async () => {
  const owner = await ownerToken(node);
  const set = async (newCallsPerMinute: number | null) => {
    const { data, errors } = await graphql(
      node,
      "mutation ($i: UpdateApplicationInput!) { updateApplication(input: $i) { application { newCallsPerMinute } } }",
      { i: { applicationId: String(node.application.id), newCallsPerMinute } },
      owner,
    );
    return (
      data?.updateApplication.application.newCallsPerMinute ?? errors?.[0].extensions.fields ?? null
    );
  };
  const agent = await newUser(node);
  expect(await set(MAX + 3)).toBe(MAX + 3);
  for (let count = 0; count < MAX + 3; count += 1)
    expect((await send(agent, "call")).code).toBe("OK");
  expect((await send(agent, "call")).code).toBe("LIMITED");
  for (const wrong of [0, -1, 6_001]) {
    expect(await set(wrong)).toEqual({ newCallsPerMinute: ["must be from 1 to 6000"] });
  }
  expect(await set(null)).toBeNull();
  expect((await send(await newUser(node), "call")).code).toBe("OK");
});
