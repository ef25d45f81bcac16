import { client, type XmlNode } from "@xmpp/client";
import { WebSocket } from "ws";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken, newUser, rest, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

// xmpp.js expects the browser's.
Object.assign(globalThis, { WebSocket });

const LISTEN = `subscription { callSignals {
  __typename id signalType callId platform userInfo sdp callerId opponentIds extra { name }
  from { userId device } to { userId device }
} }`;

let node: TestNode;
let caller: TestUser;
let callee: TestUser;
const closers: Array<() => unknown> = [];
beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: "chat.example" });
  [caller, callee] = [await newUser(node), await newUser(node)];
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => node.stop());

const reject = (body: unknown, token: string | undefined = callee.token, path = "/calls/reject") =>
  rest(node, "POST", path, { token, body });

interface Received {
  __typename: string;
  signalType: string;
  [field: string]: unknown;
}

/** Subscribes to the signals of a user; resolves once it is active, with a getter of the received signals. */
async function subscribe(user: TestUser): Promise<() => Received[]> {
  const socket: GraphqlSocket = await openSocket(node, user.token);
  closers.push(() => socket.close());
  socket.send({ id: "signals", type: "subscribe", payload: { query: LISTEN } });
  const all = (): Received[] =>
    socket.received
      .filter(({ id, type }) => id === "signals" && type === "next")
      .map(({ payload }) => {
        if (!payload.data) throw new Error(JSON.stringify(payload));
        return payload.data.callSignals;
      });
  await eventually(
    async () => {
      await graphql(
        node,
        `mutation { sendSignal(input: {to: {userId: ${user.id}}, signal: {other: {signalType: "probe"}}}) { id } }`,
        {},
        user.token,
      );
      return all();
    },
    (received) => received.length > 0,
  );
  return () => all().filter(({ signalType }) => signalType !== "probe");
}

/** Signs a user in with xmpp.js; resolves with a getter of the received messages. */
async function signInChat(user: TestUser): Promise<() => XmlNode[]> {
  const username = `${user.id}-${node.application.id}`;
  const service = `${node.chatUrl}/xmpp`;
  const xmpp = client({ service, domain: "chat.example", username, password: user.password });
  xmpp.reconnect.stop();
  xmpp.on("error", () => {});
  const messages: XmlNode[] = [];
  xmpp.on("stanza", (stanza) => {
    if (stanza.is("message")) messages.push(stanza);
  });
  await xmpp.start();
  closers.push(() => xmpp.stop());
  return () => messages;
}

const one = <T>(received: () => T[]) => eventually(received, (all) => all.length > 0);

describe("POST /calls/reject", () => {
  it("reaches the caller over GraphQL and XMPP, and returns an empty object", async () => {
    const subscribed = await subscribe(caller);
    const chat = await signInChat(caller);
    const answer = await reject({
      recipientId: caller.id,
      sessionID: "1605784922547",
      platform: "iOS",
      userInfo: { busy: true, reason: { code: 3, note: "" } },
    });
    expect([answer.status, answer.text]).toEqual([200, "{}"]);

    const [signal] = await one(subscribed);
    expect(signal).toEqual({
      __typename: "RejectSignal",
      id: expect.stringMatching(/./),
      signalType: "reject",
      callId: "1605784922547",
      platform: "iOS",
      userInfo: { busy: true, reason: { code: 3, note: "" } },
      sdp: null,
      callerId: null,
      opponentIds: null,
      extra: [],
      from: { userId: String(callee.id), device: `graphql-${callee.sessionId}` },
      to: { userId: String(caller.id), device: null },
    });

    const [stanza] = await one(chat);
    const { id: application } = node.application;
    expect(stanza?.attrs).toMatchObject({
      type: "headline",
      id: signal?.id,
      from: `${callee.id}-${application}@chat.example/graphql-${callee.sessionId}`,
      to: `${caller.id}-${application}@chat.example`,
    });
    const params = stanza?.getChild("extraParams");
    expect(params?.children.map(String)).toEqual([
      "<moduleIdentifier>WebRTCVideoChat</moduleIdentifier>",
      "<signalType>reject</signalType>",
      "<sessionID>1605784922547</sessionID>",
      "<platform>iOS</platform>",
      "<userInfo><busy>true</busy><reason><code>3</code><note/></reason></userInfo>",
    ]);
    expect(stanza?.getChild("delay")).toBeUndefined();
  });

  it.each([
    ["JSON", () => ({ recipientId: caller.id, sessionID: "s", userInfo: { busy: "true" } })],
    ["JSON with text", () => ({ recipientId: String(caller.id), sessionID: 7 })],
    [
      "a form",
      () =>
        new URLSearchParams({
          recipientId: String(caller.id),
          sessionID: "s",
          platform: "android",
          "userInfo[busy]": "true",
        }),
    ],
  ])("accepts %s", async (_what, body) => {
    const subscribed = await subscribe(caller);
    const answer = await reject(body(), undefined, "/calls/reject.json");
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const [signal] = await one(subscribed);
    expect(signal?.signalType).toBe("reject");
  });

  it("reaches every device of the caller, and nobody else", async () => {
    const [first, second] = [await subscribe(caller), await subscribe(caller)];
    const chats = [await signInChat(caller), await signInChat(caller)];
    const own = await subscribe(callee);
    const bystander = await subscribe(await newUser(node));
    expect((await reject({ recipientId: caller.id, sessionID: "all" })).status).toBe(200);
    expect(await one(first)).toEqual(await one(second));
    for (const chat of chats) expect((await one(chat))[0]?.attrs.type).toBe("headline");
    // The later signal proves that the reject was not delivered.
    const mark = `mutation ($to: ID!) {
      sendSignal(input: {to: {userId: $to}, signal: {other: {signalType: "mark"}}}) { id }
    }`;
    await graphql(node, mark, { to: callee.id }, caller.token);
    expect((await one(own)).map(({ signalType }) => signalType)).toEqual(["mark"]);
    expect(bystander()).toEqual([]);
  });

  it("is no error while the caller is not connected", async () => {
    const answer = await reject({ recipientId: caller.id, sessionID: "alone" });
    expect([answer.status, answer.body]).toEqual([200, {}]);
  });

  it("sends each reject separately, including repeats", async () => {
    const subscribed = await subscribe(caller);
    for (let count = 0; count < 3; count++)
      await reject({ recipientId: caller.id, sessionID: "r" });
    const all = await eventually(subscribed, (received) => received.length >= 3);
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
  });

  const cases: Array<[what: string, body: () => unknown, status: number, fields: string[]]> = [
    ["nothing", () => ({}), 422, ["recipientId", "sessionID"]],
    ["no recipient", () => ({ sessionID: "s" }), 422, ["recipientId"]],
    ["no session", () => ({ recipientId: caller.id }), 422, ["sessionID"]],
    ["an empty session", () => ({ recipientId: caller.id, sessionID: "" }), 422, ["sessionID"]],
    ["a word as recipient", () => ({ recipientId: "bob", sessionID: "s" }), 422, ["recipientId"]],
    ["recipient 0", () => ({ recipientId: 0, sessionID: "s" }), 422, ["recipientId"]],
    ["nobody", () => ({ recipientId: 999_999, sessionID: "s" }), 404, ["base"]],
    [
      "userInfo that is not an object",
      () => ({ recipientId: caller.id, sessionID: "s", userInfo: "busy" }),
      422,
      ["userInfo"],
    ],
    [
      "userInfo with a key that is not valid in XML",
      () => ({ recipientId: caller.id, sessionID: "s", userInfo: { "a b": 1 } }),
      422,
      ["userInfo"],
    ],
    [
      "a platform that is not valid in XML",
      () => ({ recipientId: caller.id, sessionID: "s", platform: "\u0001" }),
      422,
      ["platform"],
    ],
    ["a list", () => [], 400, ["base"]],
    ["text", () => "recipientId", 400, ["base"]],
  ];
  it.each(cases)("refuses %s", async (_what, body, status, fields) => {
    const answer = await reject(body());
    expect([answer.status, Object.keys(answer.body.errors).sort()]).toEqual([status, fields]);
  });

  it("refuses a recipient of another application, who receives nothing", async () => {
    const other = await secondApplication(node);
    const foreign = await newUser(other);
    const subscribed = await subscribe(foreign);
    const answer = await reject({ recipientId: foreign.id, sessionID: "s" });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([404, ["base"]]);
    expect(subscribed()).toEqual([]);
  });

  it("requires a session with a user", async () => {
    const body = { recipientId: caller.id, sessionID: "s" };
    const without = await rest(node, "POST", "/calls/reject", { body });
    expect([without.status, without.body]).toEqual([
      401,
      { errors: { base: ["Required session does not exist"] } },
    ]);
    expect((await reject(body, await applicationToken(node))).status).toBe(403);
  });
});

describe("rejectCall in GraphQL", () => {
  const REJECT = `mutation ($input: RejectCallInput!) { rejectCall(input: $input) { callId } }`;

  it("sends the same signal", async () => {
    const subscribed = await subscribe(caller);
    const input = { recipientId: caller.id, callId: "g", userInfo: { not_supported: 1 } };
    const { data } = await graphql(node, REJECT, { input }, callee.token);
    expect(data.rejectCall).toEqual({ callId: "g" });
    const [signal] = await one(subscribed);
    expect(signal).toMatchObject({
      __typename: "RejectSignal",
      callId: "g",
      userInfo: { not_supported: 1 },
      from: { userId: String(callee.id), device: `graphql-${callee.sessionId}` },
    });
  });

  it.each([
    [{ recipientId: "x", callId: "s" }, "INVALID"],
    [{ recipientId: "999999", callId: "s" }, "NOT_FOUND"],
    [{ recipientId: "1", callId: "" }, "INVALID"],
  ])("refuses %j", async (input, code) => {
    const { errors } = await graphql(node, REJECT, { input }, callee.token);
    expect(errors?.[0].extensions.code).toBe(code);
  });
});
