import { graphql } from "../../../tools/graphql/graphql-http";
import {
  APPLICATION_CALL,
  listCallsOf,
  ownersCall,
  waitForEntries,
  watchAsOwner,
} from "../../support/calls/application-calls";
import { type CallData, newSessionId, send, waitForCall } from "../../support/calls/calls";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { EXAMPLES } from "../../support/calls/signal-examples";
import { DOMAIN } from "../../support/chat/chat";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Calls as the owners of an application see them: the timelines of signals, lists and live changes. */

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

/** Reads a call by its key, for the owner of the token. @returns the call or the error code */
async function askFor(token: string, key: { id?: string; callId?: string }): Promise<CallData> {
  const CALL = `query ($id: ID, $callId: ID) { call(id: $id, callId: $callId) { ${APPLICATION_CALL} } }`;
  const { data, errors } = await graphql(node, CALL, key, token);
  return errors?.[0].extensions.code ?? data.call;
}

const kindsOf = (call: CallData | undefined) =>
  call?.timeline.map(({ kind }: { kind: string }) => kind);

describe("a timeline", () => {
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
        (call) => call?.timeline.length >= count,
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
    const times = ({ timeline }: CallData) =>
      timeline.map(({ kind, firstAt, lastAt, count }: CallData) => [kind, firstAt, lastAt, count]);
    expect(times(overXmpp)).toEqual(times(overGraphql));
    expect(overGraphql.timeline[0]).toMatchObject({
      firstAt: overGraphql.startedAt,
      senderId: String(caller.id),
      senderDevice: `graphql-${caller.sessionId}`,
      recipientId: String(callee.id),
      recipientDevice: null,
    });
    expect(overXmpp.timeline[2]).toMatchObject({
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
      timelineTruncated: false,
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
    const entries = call.timeline.map((entry: CallData) => [
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
    expect(call).toMatchObject({ answerSeconds: 2 });
    // A repeat that is recorded because it may wake devices is no other entry either.
    clock.advance(20_000);
    await send(node, ann, bob, "call", id);
    await sendLater(node, bob, ann, "hangUp", id);
    const ended = await waitForEntries(node, owner, id, 6);
    expect(kindsOf(ended)?.filter((kind: string) => kind === "CALL")).toHaveLength(1);
    expect(ended).toMatchObject({ endReason: "HUNG_UP_BY_CALLEE" });
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
      ({ timeline }) => timeline.at(-1)?.kind === "HANG_UP",
    );
    expect(call.timelineTruncated).toBe(true);
    expect(call.timeline).toHaveLength(202);
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
      "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }";
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
    expect(
      (await graphql(node, ERASE, { input: { id: input.userId } }, owner)).errors,
    ).toBeUndefined();
    const call = await ownersCall(node, owner, id);
    expect(call).toMatchObject({
      callerId: null,
      timeline: [
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

describe("a call", () => {
  it("is the same for its participants and for members, but for what only members see", async () => {
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    await sendLater(node, bob, ann, "reject", id);
    const call = await waitForEntries(node, owner, id, 2);
    expect(call).toMatchObject({
      ...{ applicationId: String(node.application.id), endReason: "DECLINED" },
      ...{ timeline: [{ kind: "CALL" }, { kind: "REJECT" }], timelineTruncated: false },
    });
    const support = await memberToken(node, "support");
    expect(await askFor(support, { id: call.id })).toEqual(call);
    const hidden = { applicationId: null, timeline: null, timelineTruncated: null };
    for (const { token } of [ann, bob]) {
      expect(await askFor(token, { id: call.id })).toEqual({ ...call, ...hidden });
      expect(await askFor(token, { callId: id })).toEqual({ ...call, ...hidden });
      const LIST = `{ calls(first: 1) { nodes { ${APPLICATION_CALL} } } }`;
      const { data } = await graphql(node, LIST, {}, token);
      expect(data.calls.nodes).toEqual([{ ...call, ...hidden }]);
    }
    const stranger = await newUser(node);
    expect(await askFor(stranger.token, { id: call.id })).toBe("NOT_FOUND");
    expect(await askFor(stranger.token, { callId: id })).toBe("NOT_FOUND");
    const both = { id: call.id, callId: id };
    for (const [token, key] of [
      [ann.token, both],
      [ann.token, {}],
      [owner, both],
      [owner, {}],
      [owner, { callId: id }],
    ] as const) {
      expect([key, await askFor(token, key)]).toEqual([key, "INVALID"]);
    }
  });

  it("can be watched by its record, also by a participant", async () => {
    const [id, other] = [newSessionId(), newSessionId()];
    await send(node, ann, bob, "call", id);
    await send(node, ann, bob, "call", other);
    const { id: record } = await waitForCall(node, ann, id, "RINGING");
    await waitForCall(node, ann, other, "RINGING");
    const args = `applicationId: "${node.application.id}", id: "${record}"`;
    const query = `subscription { callChanges(${args}) { id state timeline { kind } } }`;
    const watching = await watchAsOwner(node, bob.token, query);
    closing.push(watching);
    await sendLater(node, bob, ann, "reject", other);
    await waitForCall(node, ann, other, "REJECTED");
    await sendLater(node, bob, ann, "reject", id);
    const received = await eventually(watching.received, (calls) => calls.length > 0);
    expect(received).toEqual([{ id: record, state: "REJECTED", timeline: null }]);
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
    expect(call).toMatchObject({ endReason: reason, answerSeconds: null });
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
  ])("can be filtered: %s", async (_, variables, expected) => {
    expect(await listed(variables())).toEqual(expected);
  });

  it.each([
    [{ after: "x" }, "after"],
    [{ after: "1-" }, "after"],
    [{ after: "999999999999999-1" }, "after"],
    [{ before: "'" }, "before"],
    [{ first: 0 }, "first"],
    [{ userId: "x" }, "NOT_FOUND"],
    [{ userId: "999999999" }, "NOT_FOUND"],
    [{ since: "+275760-09-13T00:00:00Z" }, "since"],
    [{ until: "1969-01-01T00:00:00Z" }, "until"],
  ])("refuses %j", async (variables, field) => {
    await expect(listCallsOf(node, owner, variables)).rejects.toThrow(field);
  });

  it("and a call are of the own application alone, also for users of others", async () => {
    const other = await secondApplication(node);
    const stranger = await ownerToken(other);
    const ofAnother = listCallsOf(other, stranger, { userId: String(one.id) });
    await expect(ofAnother).rejects.toThrow("NOT_FOUND");
    const call = await ownersCall(node, owner, ids[0] ?? "");
    expect(await askFor(owner, { id: call.id })).toMatchObject({ callId: ids[0] });
    expect(await askFor(stranger, { id: call.id })).toBe("NOT_FOUND");
    for (const id of ["0", "x", "99999999999999999999"]) {
      expect(await askFor(owner, { id })).toBe("NOT_FOUND");
    }
    const own = `applicationId: "${node.application.id}"`;
    const others = `applicationId: "${other.application.id}"`;
    const CREATE = 'mutation { createApplication(input: { name: "Two" }) { application { id } } }';
    const { data } = await graphql(node, CREATE, {}, owner);
    const second = `applicationId: "${data.createApplication.application.id}"`;
    for (const [token, args, code] of [
      [stranger, own, "NOT_FOUND"],
      [stranger, `${own}, id: "${call.id}"`, "NOT_FOUND"],
      [stranger, `${others}, id: "${call.id}"`, "NOT_FOUND"],
      [owner, others, "NOT_FOUND"],
      [owner, `${others}, id: "${call.id}"`, "NOT_FOUND"],
      [owner, `${second}, id: "${call.id}"`, "NOT_FOUND"],
      [owner, `${own}, id: "x"`, "NOT_FOUND"],
      [owner, `id: "${call.id}"`, "INVALID"],
      [owner, `${own}, callId: "${call.callId}"`, "INVALID"],
      [one.token, others, "NOT_FOUND"],
      [one.token, 'id: "x"', "INVALID"],
    ]) {
      const query = `subscription { callChanges(${args}) { callId timeline { kind } } }`;
      const watching = await watchAsOwner(node, String(token), query);
      closing.push(watching);
      expect([args, await watching.refused()]).toEqual([args, code]);
    }
  });
});

/** Whether what a subscription has received contains a call in a state. */
const has = (calls: CallData[], callId: string, state: string) =>
  calls.some((call) => call.callId === callId && call.state === state);

const live = () =>
  `subscription { callChanges(applicationId: "${node.application.id}") { callId state endReason } }`;

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

/** A timeline that grows with signals that change no state. */
async function followsTimeline(at: TestNode): Promise<void> {
  const id = newSessionId();
  await send(node, ann, bob, "call", id);
  const { id: record } = await waitForEntries(node, owner, id, 1);
  const watching = await watchAsOwner(
    at,
    owner,
    `subscription { callChanges(applicationId: "${node.application.id}", id: "${record}") {
      callId state timeline { kind count } } }`,
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
  it("a call: its timeline grows", () => followsTimeline(node));

  it("ends for a member whose session has ended, before the next call is delivered", async () => {
    const token = await ownerToken(node, 24 * 1000);
    const present = newSessionId();
    await send(node, ann, bob, "call", present);
    await waitForCall(node, ann, present, "RINGING");
    const watching = await watchAsOwner(node, token, live());
    closing.push(watching);
    await eventually(watching.received, (calls) => has(calls, present, "RINGING"));
    const signOut = await graphql(node, "mutation { signOutMember { signedOut } }", {}, token);
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
    it("a timeline has the signals of both nodes, in their order", async () => {
      await followsTimeline(other);
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
