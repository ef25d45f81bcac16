import { graphql } from "../../../tools/graphql/graphql-http";
import {
  listCallsOf,
  ownersCall,
  waitForEntries,
  watchAsOwner,
} from "../../support/calls/application-calls";
import { type CallData, newSessionId, send, waitForCall } from "../../support/calls/calls";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { EXAMPLES } from "../../support/calls/signal-examples";
import { DOMAIN } from "../../support/chat/chat";
import { newUser, rest, type TestUser } from "../../support/client";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Calls as the owners of an application see them: the time lines of signals, lists and live changes. */

const DAY = 24 * 60 * MINUTE;
const clock = new MovingClock();
let node: TestNode;
let owner: string;
let ann: TestUser;
let bob: TestUser;
const closing: { close(): unknown }[] = [];

beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN }, { clock, jobsPollMs: 100 });
  owner = await ownerToken(node, 24 * 1000);
  ann = await newUser(node);
  bob = await newUser(node);
  clock.hold(true);
});
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});
afterAll(() => node.stop());

/** Runs a scheduled job immediately. */
const runJob = (name: string) =>
  node.sql(
    `INSERT INTO pgboss.job (name, data, policy) VALUES ($1, '{}', 'stately') ON CONFLICT DO NOTHING`,
    [name],
  );

const ICE = { iceCandidates: [{ sdpMLineIndex: 0, sdpMid: "0", candidate: "candidate:1" }] };

/** Sends a signal a second after the one before. */
async function sendLater(...args: Parameters<typeof send>): Promise<void> {
  clock.advance(1_000);
  await send(...args);
}

const kindsOf = (call: CallData | undefined) =>
  call?.timeLine.map(({ kind }: { kind: string }) => kind);

describe("a time line", () => {
  const ORDER = [
    ...["call.xml", "ice-candidates.xml", "accept.xml", "update.xml", "ice-restart.xml"],
    ...["ice-restart-accept.xml", "a signal that the protocol does not know", "hang-up.xml"],
  ];
  const KINDS = [
    ...["CALL", "ICE_CANDIDATES", "ACCEPT", "UPDATE", "ICE_RESTART"],
    ...["ICE_RESTART_ACCEPT", "OTHER", "HANG_UP"],
  ];
  const isAnswer = (name: string) => name === "accept.xml" || name === "ice-restart-accept.xml";
  const examples = ORDER.map((name) => {
    const found = EXAMPLES.find((each) => each.name === name);
    if (!found) throw new Error(`no example ${name}`);
    return found;
  });
  const session = "1605784922547";

  it("is the same over GraphQL and XMPP, and holds nothing of what the signals carry", async () => {
    const [caller, callee] = [await newUser(node), await newUser(node)];
    const chatCaller = await newUser(node);
    const chat = await rawChat(node, chatCaller, "desk");
    const chatCallee = await newUser(node);
    const phone = await rawChat(node, chatCallee, "phone");
    closing.push(chat, phone);
    const ids = { caller: caller.id, callee: callee.id, third: ann.id };
    const chatIds = { caller: chatCaller.id, callee: chatCallee.id, third: ann.id };
    const byCaller = async (id: number, count: number) =>
      (await eventually(
        async () => (await listCallsOf(node, owner, { userId: String(id) })).nodes[0],
        (call) => call?.timeLine.length >= count,
      )) as CallData;
    for (const [index, { name, input, stanza }] of examples.entries()) {
      clock.advance(1_000);
      const [from, to] = isAnswer(name) ? [callee, caller] : [caller, callee];
      const { signalType, id: _id, ...fields } = input(ids) as { signalType: string; id: string };
      await send(node, from, to, signalType, session, fields);
      const [sender, sending, receiver] = isAnswer(name)
        ? ([chatCallee, phone, chatCaller] as const)
        : ([chatCaller, chat, chatCallee] as const);
      const addresses = [jidOf(node, sender), jidOf(node, receiver)] as const;
      sending.send(stanza(...addresses, chatIds));
      await byCaller(chatCaller.id, index + 1);
    }
    const overGraphql = await byCaller(caller.id, KINDS.length);
    const overXmpp = await byCaller(chatCaller.id, KINDS.length);
    expect(kindsOf(overGraphql)).toEqual(KINDS);
    const times = ({ timeLine }: CallData) =>
      timeLine.map(({ kind, firstAt, lastAt, count }: CallData) => [kind, firstAt, lastAt, count]);
    expect(times(overXmpp)).toEqual(times(overGraphql));
    expect(overGraphql.timeLine[0]).toMatchObject({
      firstAt: overGraphql.startedAt,
      senderId: String(caller.id),
      senderDevice: `graphql-${caller.sessionId}`,
      recipientId: String(callee.id),
      recipientDevice: null,
    });
    expect(overXmpp.timeLine[2]).toMatchObject({
      kind: "ACCEPT",
      firstAt: overXmpp.acceptedAt,
      senderId: String(chatCallee.id),
      senderDevice: "phone",
      recipientId: String(chatCaller.id),
    });
    expect(overXmpp).toMatchObject({
      state: "HUNG_UP",
      endReason: "HUNG_UP_BY_CALLER",
      answerSeconds: 2,
      timeLineTruncated: false,
    });
    // No row of any table of the service has a description, a candidate, parameters or userInfo.
    const tables = await node.sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    expect(tables.map(({ name }) => name)).toContain("call_signals");
    for (const { name } of tables) {
      const rows = await node.sql(
        `SELECT t::text FROM "${name}" t WHERE t::text ~ '(IN IP4|candidate:|ufrag|videoEnabled|Zoë|reason.*done)'`,
      );
      expect([name, rows]).toEqual([name, []]);
    }
  });

  it("has the candidates of a device once for ten seconds, with their number, and repeats once", async () => {
    const id = newSessionId();
    clock.advance(10_000 - (clock.now() % 10_000));
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    // A repeat changes nothing, before and after the time in which the recorder knows the first one.
    await sendLater(node, ann, bob, "call", id);
    await sendLater(node, bob, ann, "accept", id);
    for (let n = 0; n < 4; n += 1) await sendLater(node, ann, bob, "iceCandidates", id, ICE);
    await sendLater(node, bob, ann, "iceCandidates", id, ICE);
    await waitForEntries(node, owner, id, 4);
    clock.advance(6_000);
    await send(node, ann, bob, "iceCandidates", id, ICE);
    const call = await waitForEntries(node, owner, id, 5);
    const start = Date.parse(call.startedAt);
    const entries = call.timeLine.map((entry: CallData) => [
      entry.kind,
      entry.senderId,
      entry.count,
      (Date.parse(entry.firstAt) - start) / 1000,
      (Date.parse(entry.lastAt) - start) / 1000,
    ]);
    const [a, b] = [String(ann.id), String(bob.id)];
    expect(entries).toEqual([
      ["CALL", a, 1, 0, 0],
      ["ACCEPT", b, 1, 2, 2],
      ["ICE_CANDIDATES", a, 4, 3, 6],
      ["ICE_CANDIDATES", b, 1, 7, 7],
      ["ICE_CANDIDATES", a, 1, 13, 13],
    ]);
    expect(call).toMatchObject({ answerSeconds: 2, connectSeconds: 11 });
    // A repeat that is recorded because it may wake devices is no other entry either.
    clock.advance(20_000);
    await send(node, ann, bob, "call", id);
    await sendLater(node, bob, ann, "hangUp", id);
    const ended = await waitForEntries(node, owner, id, 6);
    expect(kindsOf(ended)?.filter((kind: string) => kind === "CALL")).toHaveLength(1);
    expect(ended).toMatchObject({ endReason: "HUNG_UP_BY_CALLEE", connectSeconds: 11 });
  });

  it("is bounded, and keeps what ends the call", async () => {
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    for (let n = 0; n < 205; n += 1) {
      clock.advance(10);
      await send(node, ann, bob, "update", id, { parameters: { n: String(n) } });
    }
    await sendLater(node, ann, bob, "hangUp", id);
    await waitForCall(node, ann, id, "HUNG_UP");
    const call = await eventually(
      () => ownersCall(node, owner, id),
      ({ timeLine }) => timeLine.at(-1)?.kind === "HANG_UP",
    );
    expect(call.timeLineTruncated).toBe(true);
    expect(call.timeLine).toHaveLength(202);
  });

  it("has no signals of strangers, and none with another sessionID", async () => {
    const id = newSessionId();
    const stranger = await newUser(node);
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    await sendLater(node, stranger, bob, "iceCandidates", id, ICE);
    await sendLater(node, ann, stranger, "update", id, { parameters: {} });
    await sendLater(node, ann, bob, "update", newSessionId(), { parameters: {} });
    await sendLater(node, bob, ann, "reject", id);
    const call = await waitForEntries(node, owner, id, 2);
    expect(kindsOf(call)).toEqual(["CALL", "REJECT"]);
    expect(call.endReason).toBe("DECLINED");
  });

  it("loses the user and the device with an erasure, and goes with the record", async () => {
    const id = newSessionId();
    const user = await newUser(node);
    await send(node, user, bob, "call", id);
    await waitForCall(node, bob, id, "RINGING");
    await sendLater(node, bob, user, "accept", id);
    await waitForEntries(node, owner, id, 2);
    const input = { applicationId: String(node.application.id), userId: String(user.id) };
    const ERASE =
      "mutation ($input: ApplicationUserInput!) { eraseUser(input: $input) { erasedUserId } }";
    const EXPORT =
      "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }";
    const { data } = await graphql(node, EXPORT, { input }, owner);
    expect(data.exportUser.export.calls).toMatchObject([
      {
        signals: [
          { kind: "call", fromUserId: user.id },
          { kind: "accept", toUserId: user.id },
        ],
      },
    ]);
    const keys = "SELECT key FROM call_signals WHERE call_id = $1";
    const [{ id: record }] = (await node.sql<{ id: number }>(
      "SELECT id FROM calls WHERE session_id = $1",
      [id],
    )) as [{ id: number }];
    const before = await node.sql<{ key: string }>(keys, [record]);
    expect((await graphql(node, ERASE, { input }, owner)).errors).toBeUndefined();
    const call = await ownersCall(node, owner, id);
    expect(call).toMatchObject({
      callerId: null,
      timeLine: [
        { kind: "CALL", senderId: null, senderDevice: null, recipientId: String(bob.id) },
        { kind: "ACCEPT", senderId: String(bob.id), recipientId: null, recipientDevice: null },
      ],
    });
    const after = await node.sql<{ key: string }>(keys, [record]);
    expect(after.filter(({ key }) => before.some((each) => each.key === key))).toEqual([]);
    const old = new Date(clock.now() - 90 * DAY - MINUTE);
    await node.sql("UPDATE calls SET started_at = $2 WHERE session_id = $1", [id, old]);
    await runJob("call-purge");
    await eventually(
      () => node.sql(keys, [record]),
      (rows) => rows.length === 0,
    );
  });
});

describe("why a call ended", () => {
  it.each<[string, (caller: TestUser, callee: TestUser, id: string) => Promise<void>]>([
    ["DECLINED", (caller, callee, id) => send(node, callee, caller, "reject", id)],
    [
      "BUSY",
      (caller, callee, id) => send(node, callee, caller, "reject", id, { userInfo: { busy: 1 } }),
    ],
    [
      "NOT_SUPPORTED",
      (caller, callee, id) =>
        send(node, callee, caller, "reject", id, { userInfo: { not_supported: "true" } }),
    ],
    ["CANCELLED", (caller, callee, id) => send(node, caller, callee, "hangUp", id)],
    [
      "MISSED",
      async () => {
        clock.advance(MINUTE);
        await runJob("call-missed");
      },
    ],
  ])("is %s", async (reason, end) => {
    const [caller, callee] = [await newUser(node), await newUser(node)];
    const id = newSessionId();
    await send(node, caller, callee, "call", id);
    const ringing = await waitForCall(node, caller, id, "RINGING");
    expect(ringing.endedAt).toBeNull();
    expect((await ownersCall(node, owner, id)).endReason).toBeNull();
    clock.advance(1_000);
    await end(caller, callee, id);
    const call = await eventually(
      () => ownersCall(node, owner, id),
      (each) => each.endedAt !== null,
    );
    expect(call).toMatchObject({ endReason: reason, answerSeconds: null, connectSeconds: null });
  });
});

describe("the list", () => {
  let one: TestUser;
  let two: TestUser;
  const ids: string[] = [];
  let first: number;

  beforeAll(async () => {
    clock.advance(MINUTE);
    first = clock.now();
    one = await newUser(node, { full_name: "One" });
    two = await newUser(node);
    for (let n = 0; n < 5; n += 1) {
      const id = newSessionId();
      ids.unshift(id);
      await send(node, one, n % 2 === 0 ? two : bob, "call", id);
      await waitForCall(node, one, id, "RINGING");
      clock.advance(1_000);
      if (n > 2) continue;
      await send(node, n % 2 === 0 ? two : bob, one, "reject", id);
      await waitForCall(node, one, id, "REJECTED");
    }
  });

  const listed = async (variables: Record<string, unknown> = {}) => {
    const { nodes } = await listCallsOf(node, owner, {
      since: new Date(first).toISOString(),
      ...variables,
    });
    return nodes.map(({ callId }: CallData) => ids.indexOf(callId));
  };

  it("is newest first, in pages in both directions", async () => {
    const since = new Date(first).toISOString();
    const page = await listCallsOf(node, owner, { since, first: 2 });
    expect(page.nodes.map(({ callId }: CallData) => callId)).toEqual(ids.slice(0, 2));
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const next = { since, first: 2, after: page.pageInfo.endCursor };
    const second = await listCallsOf(node, owner, next);
    expect(second.nodes.map(({ callId }: CallData) => callId)).toEqual(ids.slice(2, 4));
    const back = { since, last: 2, before: second.pageInfo.startCursor };
    const again = await listCallsOf(node, owner, back);
    expect(again.nodes).toEqual(page.nodes);
    expect(await listed({ last: 2 })).toEqual([3, 4]);
    const names = page.nodes[0].participants.map(({ user }: CallData) => user.fullName);
    expect(names).toEqual(["One", null]);
  });

  it.each<[string, () => Record<string, unknown>, number[]]>([
    ["all", () => ({}), [0, 1, 2, 3, 4]],
    ["live ones", () => ({ states: ["RINGING", "ACCEPTED"] }), [0, 1]],
    ["ended ones", () => ({ states: ["REJECTED", "REJECTED"] }), [2, 3, 4]],
    ["none of the states", () => ({ states: [] }), []],
    ["of a user", () => ({ userId: String(two.id) }), [0, 2, 4]],
    ["live ones of a user", () => ({ userId: String(two.id), states: ["RINGING"] }), [0]],
    ["since a time", () => ({ since: new Date(first + 3_000).toISOString() }), [0, 1]],
    ["before a time", () => ({ until: new Date(first + 2_000).toISOString() }), [3, 4]],
    [
      "of a user, before a time",
      () => ({ userId: String(one.id), until: new Date(first + 2_000).toISOString(), first: 1 }),
      [3],
    ],
    ["of nobody", () => ({ userId: "999999999" }), []],
  ])("can be filtered: %s", async (_, variables, expected) => {
    expect(await listed(variables())).toEqual(expected);
  });

  it.each([
    [{ after: "x" }, "after"],
    [{ after: "1-" }, "after"],
    [{ after: "999999999999999-1" }, "after"],
    [{ before: "'" }, "before"],
    [{ first: 0 }, "first"],
    [{ userId: "x" }, "userId"],
    [{ since: "+275760-09-13T00:00:00Z" }, "since"],
    [{ until: "1969-01-01T00:00:00Z" }, "until"],
  ])("refuses %j", async (variables, field) => {
    await expect(listCallsOf(node, owner, variables)).rejects.toThrow(field);
  });

  it("and a call are of the own application alone, also for users of others", async () => {
    const other = await secondApplication(node);
    const stranger = await ownerToken(other);
    expect((await listCallsOf(other, stranger, { userId: String(one.id) })).nodes).toEqual([]);
    const call = await ownersCall(node, owner, ids[0] ?? "");
    const CALL = "query ($a: ID!, $id: ID!) { application(id: $a) { call(id: $id) { callId } } }";
    const ask = async (token: string, { application }: TestNode, id: string) => {
      const variables = { a: String(application.id), id };
      const { data, errors } = await graphql(node, CALL, variables, token);
      return errors?.[0].extensions.code ?? data.application.call;
    };
    expect(await ask(owner, node, call.id)).toEqual({ callId: ids[0] });
    expect(await ask(stranger, other, call.id)).toBeNull();
    expect(await ask(stranger, node, call.id)).toBe("NOT_FOUND");
    for (const id of ["0", "x", "99999999999999999999"])
      expect(await ask(owner, node, id)).toBeNull();
    const fields = "callId endReason timeLine { kind }";
    for (const query of [
      `subscription { applicationCalls(applicationId: "${node.application.id}") { ${fields} } }`,
      `subscription { applicationCall(applicationId: "${node.application.id}", id: "${call.id}") { ${fields} } }`,
      `subscription { applicationCall(applicationId: "${other.application.id}", id: "${call.id}") { ${fields} } }`,
    ]) {
      const watching = await watchAsOwner(node, stranger, query);
      closing.push(watching);
      expect(await watching.refused()).toBe("NOT_FOUND");
    }
  });
});

/** Whether what a subscription has received contains a call in a state. */
const has = (calls: CallData[], callId: string, state: string) =>
  calls.some((call) => call.callId === callId && call.state === state);

const live = () =>
  `subscription { applicationCalls(applicationId: "${node.application.id}") { callId state endReason } }`;

/** Calls of a subscription: the present ones, then changes that any protocol makes. */
async function followsCalls(at: TestNode): Promise<void> {
  const [present, id] = [newSessionId(), newSessionId()];
  await send(node, ann, bob, "call", present);
  await waitForCall(node, ann, present, "RINGING");
  const watching = await watchAsOwner(at, owner, live());
  closing.push(watching);
  await eventually(watching.received, (calls) => has(calls, present, "RINGING"));
  await sendLater(node, ann, bob, "call", id);
  await eventually(watching.received, (calls) => has(calls, id, "RINGING"));
  await sendLater(at, bob, ann, "accept", id);
  await eventually(watching.received, (calls) => has(calls, id, "ACCEPTED"));
  const body = { recipientId: ann.id, sessionID: present, platform: "web" };
  clock.advance(1_000);
  await rest(node, "POST", "/calls/reject", { token: bob.token, body });
  await eventually(watching.received, (calls) => has(calls, present, "REJECTED"));
  await sendLater(node, ann, bob, "hangUp", id);
  await eventually(watching.received, (calls) => has(calls, id, "HUNG_UP"));
  const over = watching.received().find(({ state }) => state === "HUNG_UP");
  expect(over).toMatchObject({ callId: id, endReason: "HUNG_UP_BY_CALLER" });
}

/** A time line that grows with signals that change no state. */
async function followsTimeLine(at: TestNode): Promise<void> {
  const id = newSessionId();
  await send(node, ann, bob, "call", id);
  const { id: record } = await waitForEntries(node, owner, id, 1);
  const watching = await watchAsOwner(
    at,
    owner,
    `subscription { applicationCall(applicationId: "${node.application.id}", id: "${record}") {
      callId state timeLine { kind count } } }`,
  );
  closing.push(watching);
  const kinds = () => kindsOf(watching.received().at(-1)) ?? [];
  await eventually(kinds, (all) => all.length === 1);
  await send(node, ann, bob, "call", newSessionId());
  await sendLater(node, bob, ann, "iceCandidates", id, ICE);
  await eventually(kinds, (all) => all.includes("ICE_CANDIDATES"));
  await sendLater(at, ann, bob, "update", id, { parameters: {} });
  await eventually(kinds, (all) => all.includes("UPDATE"));
  expect(watching.received().every(({ callId }) => callId === id)).toBe(true);
}

describe("live", () => {
  it("calls: first those that are live, then each change, over any protocol", () =>
    followsCalls(node));
  it("a call: its time line grows", () => followsTimeLine(node));

  it("ends for a member whose session has ended, before the next call is delivered", async () => {
    const token = await ownerToken(node, 24 * 1000);
    const present = newSessionId();
    await send(node, ann, bob, "call", present);
    await waitForCall(node, ann, present, "RINGING");
    const watching = await watchAsOwner(node, token, live());
    closing.push(watching);
    await eventually(watching.received, (calls) => has(calls, present, "RINGING"));
    const signOut = await graphql(node, "mutation { signOutOwner { signedOut } }", {}, token);
    const count = watching.received().length;
    await send(node, ann, bob, "call", newSessionId());
    expect([signOut.errors, await watching.closed()]).toEqual([undefined, 4401]);
    expect(watching.received()).toHaveLength(count);
  });
});

if (hasServices)
  describe("live on two nodes", () => {
    let other: TestNode;
    beforeAll(async () => {
      other = await startNode({ CHAT_DOMAIN: DOMAIN }, { clock, jobsPollMs: 100 }, node);
    });
    afterAll(() => other.stop());

    it("calls of the other node change", () => followsCalls(other));
    it("a time line has the signals of both nodes, in their order", async () => {
      await followsTimeLine(other);
      const id = newSessionId();
      await send(node, ann, bob, "call", id);
      clock.advance(1_000);
      await send(other, bob, ann, "accept", id);
      for (let n = 0; n < 5; n += 1) {
        clock.advance(1);
        await send(n % 2 === 0 ? node : other, ann, bob, "update", id, { parameters: {} });
      }
      await sendLater(other, bob, ann, "hangUp", id);
      const call = await waitForEntries(node, owner, id, 8);
      expect(kindsOf(call)).toEqual(["CALL", "ACCEPT", ...Array(5).fill("UPDATE"), "HANG_UP"]);
    });
  });
