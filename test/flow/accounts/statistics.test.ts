import { createConference, joinConference } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { sendInput } from "../../support/calls/send-input";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { auth, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overPolling, overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { addDevice, eventCounts, payload, postEvent } from "../../support/push/push";
import { RecordingProviders } from "../../support/push/recording-provider";
import {
  newGuest,
  newUser,
  rest,
  signedParameters,
  signIn,
  type TestUser,
} from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const COUNTS = `requests signals signUps signIns failedSignIns calls conferences
  pushes { accepted unregistered failed retried } errors { code count }`;
const ACTIVITY = `sockets { graphql xmpp janus } sessions { count isExact } calls { count isExact }
  conferences { count isExact } conferenceParticipants { count isExact }`;
const APPLICATION = `query ($id: ID!) { application(id: $id) {
  statistics(period: HOUR) { totals { ${COUNTS} } } activity { ${ACTIVITY} } } }`;
const ACCOUNT = `{ account { statistics(period: DAY) { totals { ${COUNTS} } } activity { ${ACTIVITY} } } }`;

const NOTHING = {
  ...{
    requests: 0,
    signals: 0,
    signUps: 0,
    signIns: 0,
    failedSignIns: 0,
    calls: 0,
    conferences: 0,
  },
  pushes: { accepted: 0, unregistered: 0, failed: 0, retried: 0 },
  errors: [],
};
const exactly = (count: number) => ({ count, isExact: true });

const providers = new RecordingProviders();
const openEngine = async (listener: ConstructorParameters<typeof MemoryEngine>[0]) =>
  new MemoryEngine(listener);
let first: TestNode;
/** The node from the view of an application that nothing else uses. */
let node: TestNode;
let owner: string;

beforeAll(async () => {
  first = await startNode(
    { CHAT_DOMAIN: DOMAIN },
    { openEngine, pushProvider: providers.open, jobsPollMs: 100, statisticsMs: 100 },
  );
});
beforeEach(async () => {
  node = await secondApplication(first);
  owner = await ownerToken(node);
});
afterAll(() => first.stop());

async function stats(of = node, token = owner) {
  const { data, errors } = await graphql(of, APPLICATION, { id: String(of.application.id) }, token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.application;
}
const totals = async () => (await stats()).statistics.totals;
const sockets = async () => (await stats()).activity.sockets;

/** Waits until the totals match, apart from the requests unless they are given. */
async function expectTotals(expected: Record<string, unknown>): Promise<void> {
  const matches = (found: Record<string, unknown>) =>
    Object.entries(expected).every(([name, value]) => textOf(found[name]) === textOf(value));
  expect(await eventually(totals, matches)).toMatchObject(expected);
}
const textOf = (value: unknown) => JSON.stringify(value);

const login = (user: object) =>
  rest(node, "POST", "/session", { body: { ...signedParameters(node), user } });

test("an application without traffic has all buckets, and no rows", async () => {
  const query = `query ($id: ID!) { application(id: $id) {
    hour: statistics(period: HOUR) { ...all } day: statistics(period: DAY) { ...all }
    month: statistics(period: MONTH) { ...all } } }
    fragment all on Statistics { period bucketSeconds totals { ${COUNTS} }
      series { counts { ${COUNTS} } sockets { graphql xmpp janus } sessions } }`;
  const { data } = await graphql(node, query, { id: String(node.application.id) }, owner);
  const bucket = { counts: NOTHING, sockets: { graphql: 0, xmpp: 0, janus: 0 }, sessions: null };
  for (const [period, bucketSeconds, buckets] of [
    ["HOUR", 60, 60],
    ["DAY", 3_600, 24],
    ["MONTH", 86_400, 30],
  ] as const) {
    expect(data.application[period.toLowerCase()]).toEqual({
      ...{ period, bucketSeconds, totals: NOTHING },
      series: Array.from({ length: buckets }, () => bucket),
    });
  }
  const rows = await node.sql("SELECT 1 FROM application_statistics WHERE application_id = $1", [
    node.application.id,
  ]);
  expect(rows).toEqual([]);
});

describe("sign-ups and sign-ins", () => {
  test("are counted over REST and GraphQL, with those that are refused", async () => {
    const user = await newUser(node);
    await newGuest(node);
    await signIn(node, user);
    expect((await login({ login: user.login, password: "wrong password" })).status).toBe(401);
    const { data } = await graphql(
      node,
      "mutation ($i: LoginInput!) { login(input: $i) { user { id } } }",
      { i: { login: user.login, password: user.password } },
      user.token,
    );
    expect(data.login.user.id).toBe(String(user.id));
    await expectTotals({
      ...{ signUps: 2, signIns: 4, failedSignIns: 1 },
      errors: [{ code: "UNAUTHENTICATED", count: 1 }],
    });
  });

  test("are counted over XMPP by password, but not by token, and refused ones of users that exist or not", async () => {
    const user = await newUser(node);
    for (const secret of [user.password, user.token]) {
      const chat = await rawChat(node, user, "phone", secret);
      chat.close();
    }
    for (const id of [user.id, 9_007_199_254_740_000]) {
      const raw = await connectRaw(node.chatUrl);
      for (const frame of [OPEN, auth(`${id}-${node.application.id}`, "wrong")]) raw.send(frame);
      while (!(await raw.next()).includes("<failure"));
      raw.socket.terminate();
    }
    // An application that does not exist leaves nothing behind.
    const raw = await connectRaw(node.chatUrl);
    for (const frame of [OPEN, auth("1-9007199254740000", "wrong")]) raw.send(frame);
    while (!(await raw.next()).includes("<failure"));
    raw.socket.terminate();
    await expectTotals({
      ...{ signUps: 1, signIns: 2, failedSignIns: 2 },
      errors: [{ code: "UNAUTHENTICATED", count: 2 }],
    });
  });

  test("of an owner's new user count as a sign-up, and the owner's requests are not the application's", async () => {
    const input = {
      applicationId: String(node.application.id),
      login: "made",
      password: "a password",
    };
    const mutation = "mutation ($i: CreateUserInput!) { createUser(input: $i) { user { id } } }";
    const made = await graphql(node, mutation, { i: input }, owner);
    expect(made.errors).toBeUndefined();
    await expectTotals({ requests: 0, signUps: 1, signIns: 0 });
  });
});

test("requests and errors are counted over REST, GraphQL and WebSocket, by code", async () => {
  const guest = await newGuest(node);
  const socket = await openSocket(node, guest.token);
  const unknownUser = "/users/999999999999";
  expect((await rest(node, "DELETE", unknownUser, { token: guest.token })).status).toBe(404);
  await graphql(node, "{ currentSession { id } }", {}, guest.token);
  const refused = await graphql(
    node,
    "mutation { deleteUser(input: { id: 999999999999 }) { deletedUserId } }",
    {},
    guest.token,
  );
  expect(refused.errors).toHaveLength(1);
  await socket.run("{ currentSession { id } }");
  // A signature that is wrong is an error of the application; an unknown token or application is nobody's.
  const wrong = { ...signedParameters(node), signature: "0" };
  expect((await rest(node, "POST", "/session", { body: wrong })).status).toBe(422);
  const unknown = { ...signedParameters(node), application_id: 999_999_999 };
  expect((await rest(node, "POST", "/session", { body: unknown })).status).toBe(422);
  expect((await rest(node, "GET", "/session", { token: "unknown" })).status).toBe(401);
  await expectTotals({
    requests: 6,
    errors: [
      { code: "NOT_FOUND", count: 2 },
      { code: "INVALID", count: 1 },
    ],
  });
  await socket.close();
});

test("calls and signals are counted over every protocol, and open calls until they end", async () => {
  const [caller, callee] = [await newGuest(node), await newGuest(node)];
  const chat = await rawChat(node, caller, "phone");
  const call = (id: string) =>
    `<message to="${jidOf(node, callee)}" type="headline" id="${id}"><extraParams xmlns="jabber:client">` +
    `<moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>call</signalType>` +
    `<sessionID>${id}</sessionID><callerID>${caller.id}</callerID>` +
    `<opponentsIDs><opponentID>${callee.id}</opponentID></opponentsIDs></extraParams></message>`;
  chat.send(call("over-xmpp"));
  const signal = {
    ...{
      signalType: "call",
      callId: "over-graphql",
      callerId: String(caller.id),
      callType: "AUDIO",
    },
    ...{ opponentIds: [String(callee.id)], sdp: "v=0" },
  };
  const send = async (content: object) => {
    const input = sendInput({ to: { userId: String(callee.id) }, ...content });
    const mutation = "mutation ($i: SendSignalInput!) { sendSignal(input: $i) { id } }";
    const { errors } = await graphql(node, mutation, { i: input }, caller.token);
    expect(errors).toBeUndefined();
  };
  await send(signal);
  await send(signal);
  await expectTotals({ signals: 3, calls: 2 });
  expect((await stats()).activity.calls).toEqual(exactly(2));
  await send({ signalType: "hangUp", callId: "over-graphql" });
  await eventually(stats, ({ activity }) => activity.calls.count === 1);
  chat.send(
    `<message to="${jidOf(node, { id: 999_999_999 })}" type="headline"><body>Hello</body></message>`,
  );
  await expectTotals({ errors: [{ code: "NOT_FOUND", count: 1 }] });
  chat.close();
});

test("conferences are counted however they are created, and their members while they are in", async () => {
  const user = await newUser(node);
  const conference = await createConference(node, user.token, { name: "by GraphQL" });
  const member = await joinConference(node, conference, user.token);
  const legacy = await LegacyClient.open(
    overWebSocket,
    node.app.conferenceUrls.ws ?? "",
    user.token,
  );
  await legacy.join("by a legacy client");
  await expectTotals({ conferences: 2 });
  const { activity } = await stats();
  expect([activity.conferences, activity.conferenceParticipants]).toEqual([exactly(2), exactly(2)]);
  await member.leave();
  await legacy.destroy();
  await eventually(stats, (found) => found.activity.conferenceParticipants.count === 0);
});

test("pushes are counted by outcome, each attempt once", async () => {
  const user = await newUser(node);
  const send = async (outcome: string) => {
    const device = await addDevice(node, user, "gcm");
    const kinds: Record<string, object> = {
      unregistered: { kind: "unregistered", reason: "gone" },
      failed: { kind: "failed", reason: "refused" },
      retried: { kind: "retry", reason: "busy", delayMs: null },
    };
    const answer = kinds[outcome];
    if (answer) providers.outcomes.set(device, () => answer as never);
    const push = {
      push_type: "gcm",
      message: payload({ data: { a: "b" } }),
      user: { ids: user.id },
    };
    const [event] = await postEvent(node, user, push);
    if (outcome !== "retried") await eventCounts(node, event.id);
    await node.sql("DELETE FROM push_subscriptions WHERE token = $1", [device]);
  };
  for (const outcome of ["accepted", "accepted", "unregistered", "failed"]) await send(outcome);
  await expectTotals({ pushes: { accepted: 2, unregistered: 1, failed: 1, retried: 0 } });
});

test("a push that is to be retried counts as retried", async () => {
  const user = await newUser(node);
  const device = await addDevice(node, user, "gcm");
  providers.outcomes.set(device, () => ({ kind: "retry", reason: "busy", delayMs: null }));
  const push = { push_type: "gcm", message: payload({ data: { a: "b" } }), user: { ids: user.id } };
  await postEvent(node, user, push);
  await expectTotals({ pushes: { accepted: 0, unregistered: 0, failed: 0, retried: 1 } });
});

test("open sockets are counted by protocol until they are closed, and sessions until they end", async () => {
  const guest = await newGuest(node);
  const anonymous = await openSocket(node);
  const graphqlSockets = [await openSocket(node, guest.token), await openSocket(node, guest.token)];
  const chat = await rawChat(node, guest, "phone");
  const url = node.app.conferenceUrls.ws ?? "";
  const legacy = await LegacyClient.open(overWebSocket, url, guest.token);
  const polling = await LegacyClient.open(overPolling, node.baseUrl, guest.token);
  const open = { graphql: 2, xmpp: 1, janus: 2 };
  await eventually(sockets, (found) => JSON.stringify(found) === JSON.stringify(open));
  expect((await stats()).activity.sessions).toEqual(exactly(1));
  for (const socket of graphqlSockets) await socket.close();
  await legacy.destroy();
  await eventually(sockets, (found) => found.graphql === 0 && found.janus === 1);
  await polling.destroy();
  chat.close();
  await eventually(sockets, (found) => found.xmpp === 0 && found.janus === 0);
  await anonymous.close();
  await rest(node, "DELETE", "/session", { token: guest.token });
  expect((await stats()).activity.sessions).toEqual(exactly(0));
});

describe("an account", () => {
  const account = async (token: string) => (await graphql(node, ACCOUNT, {}, token)).data.account;

  test("sees the sum of its applications", async () => {
    const create =
      'mutation { createApplication(input: { name: "Another" }) { application { id authKey authSecret } } }';
    const { data } = await graphql(node, create, {}, owner);
    const { id, ...keys } = data.createApplication.application;
    const another: TestNode = {
      ...node,
      application: { ...node.application, ...keys, id: Number(id) },
    };
    const guests: TestUser[] = [
      await newGuest(node),
      await newGuest(another),
      await newGuest(another),
    ];
    const opened = await openSocket(node, guests[0]?.token);
    await eventually(
      () => account(owner),
      (found) => found.statistics.totals.signUps === 3 && found.activity.sockets.graphql === 1,
    );
    expect((await account(owner)).activity.sessions).toEqual(exactly(3));
    await opened.close();
  });

  test("sees nothing of another account", async () => {
    await newGuest(node);
    await expectTotals({ signUps: 1 });
    const other = await secondApplication(first);
    const token = await ownerToken(other);
    const found = await account(token);
    expect(found.statistics.totals).toEqual(NOTHING);
    expect(found.activity.sessions).toEqual(exactly(0));
    const foreign = await graphql(node, APPLICATION, { id: String(node.application.id) }, token);
    expect(foreign.errors?.[0].extensions.code).toBe("NOT_FOUND");
  });

  test("without applications sees zeros", async () => {
    await node.sql("DELETE FROM applications WHERE id = $1", [node.application.id]);
    const [row] = await node.sql<{ id: number }>("SELECT max(id) AS id FROM accounts");
    expect(row?.id).toBeGreaterThan(0);
    const found = await account(owner);
    expect(found.statistics.totals).toEqual(NOTHING);
    expect(found.activity.calls).toEqual(exactly(0));
  });
});

describeServices("two nodes", () => {
  test("add up what they count and have open", async () => {
    const second = await startNode({}, { openEngine, statisticsMs: 100 }, first);
    try {
      const other = { ...second, application: node.application };
      const [here, there] = [await newGuest(node), await newGuest(other)];
      const opened = [await openSocket(node, here.token), await openSocket(other, there.token)];
      await expectTotals({ signUps: 2, signIns: 2 });
      await eventually(sockets, (found) => found.graphql === 2);
      await second.app.close();
      // A node that stops takes its sockets with it at once, and its last counts are written.
      await eventually(sockets, (found) => found.graphql === 1);
      await opened[0]?.close();
      await opened[1]?.close();
    } finally {
      await second.stop();
    }
  });
});
