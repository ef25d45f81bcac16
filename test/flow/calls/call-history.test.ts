import { isoSeconds } from "../../../src/core/clock";
import { CONNECTING_MS } from "../../../src/domain/calls/inbox/record-answer";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import {
  type CallData,
  CHANGES,
  lockCallTables,
  newSessionId,
  participantOf,
  readCall,
  send,
  waitForCall,
} from "../../support/calls/calls";
import { connectGraphqlWs, type GraphqlClient } from "../../support/calls/graphql-signals";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { DOMAIN } from "../../support/chat/chat";
import { eventually, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import {
  applicationToken,
  newGuest,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const DAY = 24 * 60 * MINUTE;
const clock = new MovingClock();
let node: TestNode;
let ann: TestUser;
let bob: TestUser;
let cleo: TestUser;
let dan: TestUser;
const clients: { close(): unknown }[] = [];

beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN }, { clock, jobsPollMs: 100 });
  [ann, bob, cleo, dan] = [
    ...[await newUser(node), await newUser(node)],
    ...[await newUser(node), await newUser(node)],
  ] as [TestUser, TestUser, TestUser, TestUser];
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => node.stop());

async function opened<T extends { close(): unknown }>(opening: Promise<T>): Promise<T> {
  const client = await opening;
  clients.push(client);
  return client;
}

const LIST = `query ($first: Int, $after: String, $states: [CallState!]) {
  calls(first: $first, after: $after, states: $states) {
    edges { cursor node { callId } } nodes { callId state }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

async function list(user: Pick<TestUser, "token">, variables: Record<string, unknown> = {}) {
  const { data, errors } = await graphql(node, LIST, variables, user.token);
  return data?.calls ?? errors;
}

/** Runs a scheduled job immediately and waits for its result. */
const runJob = (name: string) =>
  node.sql(
    `INSERT INTO pgboss.job (name, data, policy) VALUES ($1, '{}', 'stately') ON CONFLICT DO NOTHING`,
    [name],
  );

const stanza = (to: TestUser, type: string, callId: string) =>
  `<message xmlns="jabber:client" type="headline" id="x" to="${jidOf(node, to)}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${type}</signalType><sessionID>${callId}</sessionID><sdp>v=0</sdp></extraParams></message>`;

describe("a call", () => {
  it("is recorded from ringing to the hang-up, across protocols", async () => {
    const id = newSessionId();
    const phone = await opened(rawChat(node, bob, "phone"));
    await send(node, ann, bob, "call", id);
    const ringing = await waitForCall(node, ann, id, "RINGING");
    expect(ringing).toMatchObject({
      callId: id,
      callerId: String(ann.id),
      callType: "VIDEO",
      acceptedAt: null,
      endedAt: null,
      hungUpById: null,
    });
    expect(ringing.participants).toMatchObject([
      { userId: String(ann.id), caller: true, state: "RINGING", user: { id: String(ann.id) } },
      {
        userId: String(bob.id),
        caller: false,
        state: "RINGING",
        reason: null,
        device: null,
        pushedAt: null,
      },
    ]);
    phone.send(stanza(ann, "accept", id));
    const accepted = await waitForCall(node, bob, id, "ACCEPTED");
    expect(participantOf(accepted, bob)).toMatchObject({ state: "ACCEPTED", device: "phone" });
    expect(accepted.acceptedAt).toBe(participantOf(accepted, bob)?.answeredAt);
    phone.send(stanza(ann, "hangUp", id));
    const over = await waitForCall(node, ann, id, "HUNG_UP");
    expect(over).toMatchObject({ hungUpById: String(bob.id), endedAt: expect.any(String) });
    expect(over.participants.map(({ state }: { state: string }) => state)).toEqual([
      "HUNG_UP",
      "HUNG_UP",
    ]);
    // Late signals change nothing.
    for (const type of ["call", "accept", "hangUp"]) await send(node, ann, bob, type, id);
    await send(node, bob, ann, "accept", id);
    const mark = newSessionId();
    await send(node, bob, ann, "call", mark);
    await waitForCall(node, bob, mark, "RINGING");
    expect(await readCall(node, ann, id)).toEqual(over);
  });

  it.each<[string, string, string | null, Record<string, unknown> | undefined]>([
    ["a person", "REJECTED", "DECLINED", undefined],
    ["a busy device", "REJECTED", "BUSY", { busy: true }],
    ["a device without support", "FAILED", "NOT_SUPPORTED", { not_supported: 1 }],
  ])("rejected over REST by %s is %s", async (_, state, reason, userInfo) => {
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, bob, id, "RINGING");
    const answer = await rest(node, "POST", "/calls/reject", {
      token: bob.token,
      body: { recipientId: ann.id, sessionID: id, platform: "web", userInfo },
    });
    expect(answer.status).toBe(200);
    const call = await waitForCall(node, ann, id, state);
    expect(participantOf(call, bob)).toMatchObject({ state, reason });
    expect(call.endedAt).not.toBeNull();
  });

  it("stays active for the accepting device when another device hangs up", async () => {
    const id = newSessionId();
    const phone = await opened(rawChat(node, bob, "phone"));
    await send(node, ann, bob, "call", id);
    await send(node, bob, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED");
    phone.send(stanza(ann, "hangUp", id));
    await send(node, ann, bob, "hangUp", id, { to: { userId: bob.id, device: "phone" } });
    const mark = newSessionId();
    await send(node, ann, bob, "call", mark);
    await waitForCall(node, bob, mark, "RINGING");
    phone.send(stanza(ann, "hangUp", mark));
    await waitForCall(node, bob, mark, "HUNG_UP");
    expect((await readCall(node, ann, id)) as object).toMatchObject({
      state: "ACCEPTED",
      endedAt: null,
      hungUpById: null,
    });
    await send(node, bob, ann, "hangUp", id);
    expect(await waitForCall(node, ann, id, "HUNG_UP")).toMatchObject({
      hungUpById: String(bob.id),
    });
  });

  it("is lost once no device in it was connected for two minutes, and a later signal corrects it", async () => {
    const near = await opened(connectGraphqlWs(node, ann));
    const far = await opened(rawChat(node, bob, "phone"));
    const accepted = async (caller: TestUser, called: TestUser) => {
      const id = newSessionId();
      await send(node, caller, called, "call", id);
      await send(node, called, caller, "accept", id);
      await waitForCall(node, caller, id, "ACCEPTED");
      return id;
    };
    /** When the check found that no device in a call is connected. */
    const unreachableSince = async (id: string): Promise<Date | null> => {
      await runJob("call-lost");
      const sql = "SELECT unreachable_since AS since FROM calls WHERE session_id = $1";
      return (await node.sql<{ since: Date | null }>(sql, [id]))[0]?.since ?? null;
    };
    const isFound = (since: Date | null) => since !== null;
    const id = await accepted(ann, bob);
    await near.close();
    // One check reads both calls.
    const other = await accepted(cleo, dan);
    await eventually(() => unreachableSince(other), isFound);
    expect(await unreachableSince(id)).toBeNull();

    await far.close();
    const since = await eventually(() => unreachableSince(id), isFound);
    clock.advance(2 * MINUTE);
    await runJob("call-lost");
    const lost = await waitForCall(node, ann, id, "LOST", [bob, "LOST"]);
    expect(lost).toMatchObject({ endedAt: since && isoSeconds(since), hungUpById: null });
    expect((await list(ann, { states: ["LOST"] })).nodes).toEqual([{ callId: id, state: "LOST" }]);

    await send(node, ann, bob, "update", id);
    await waitForCall(node, ann, id, "ACCEPTED", [bob, "ACCEPTED"]);
    await send(node, bob, ann, "hangUp", id);
    expect(await waitForCall(node, ann, id, "HUNG_UP")).toMatchObject({
      hungUpById: String(bob.id),
    });
  });

  it("ends when a device hangs up that has taken over from the one that accepted", async () => {
    const id = newSessionId();
    const phone = await opened(rawChat(node, bob, "phone"));
    await send(node, ann, bob, "call", id);
    phone.send(stanza(ann, "accept", id));
    await waitForCall(node, ann, id, "ACCEPTED");
    // Before, the phone counts as connected: its socket might not be open yet.
    clock.advance(CONNECTING_MS);
    const next = await opened(rawChat(node, bob, "next-phone"));
    await phone.close();
    const over = await eventually(
      async () => {
        // The node may not have noticed the end of the first connection yet.
        next.send(stanza(ann, "hangUp", id));
        return (await readCall(node, ann, id)) as CallData;
      },
      ({ state }) => state === "HUNG_UP",
    );
    expect(over).toMatchObject({ hungUpById: String(bob.id) });
  });

  it("is recorded once despite repeats, and is missed after a minute", async () => {
    const id = newSessionId();
    for (let repeat = 0; repeat < 5; repeat += 1) await send(node, ann, bob, "call", id);
    const { startedAt } = await waitForCall(node, ann, id, "RINGING");
    expect(
      (await list(ann)).nodes.filter((each: { callId: string }) => each.callId === id),
    ).toHaveLength(1);
    clock.advance(MINUTE);
    await runJob("call-missed");
    const missed = await waitForCall(node, ann, id, "MISSED");
    expect(participantOf(missed, bob)).toMatchObject({ state: "MISSED", reason: null });
    expect(Date.parse(missed.endedAt) - Date.parse(startedAt)).toBe(MINUTE);
    expect(missed.hungUpById).toBeNull();
  });

  it("of several users has a state for each, and one derived from them", async () => {
    const id = newSessionId();
    for (const each of [bob, cleo, dan]) {
      const opponentIds = [bob, cleo, dan].map((user) => String(user.id));
      await send(node, ann, each, "call", id, { opponentIds });
    }
    await send(node, bob, ann, "accept", id);
    await send(node, cleo, ann, "reject", id);
    // Between callees, on behalf of the caller.
    await send(node, bob, dan, "call", id, { callerId: String(ann.id) });
    const call = await waitForCall(node, dan, id, "ACCEPTED", [cleo, "REJECTED"]);
    expect(call.participants).toMatchObject([
      { userId: String(ann.id), state: "ACCEPTED" },
      { userId: String(bob.id), state: "ACCEPTED" },
      { userId: String(cleo.id), state: "REJECTED" },
      { userId: String(dan.id), state: "RINGING" },
    ]);
    await send(node, dan, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED", [dan, "ACCEPTED"]);
    for (const each of [bob, cleo, dan]) await send(node, ann, each, "hangUp", id);
    await waitForCall(node, bob, id, "ACCEPTED", [ann, "HUNG_UP"]);
    await send(node, dan, bob, "hangUp", id);
    const over = await waitForCall(node, bob, id, "HUNG_UP", [bob, "HUNG_UP"]);
    expect(over.hungUpById).toBe(String(dan.id));
    expect(
      (await list(dan)).nodes.filter((each: { callId: string }) => each.callId === id),
    ).toHaveLength(1);
  });

  it.each([
    ["a word in another script", "ｃａｌｌ – Ωß"],
    ["a quote and a backslash", `'"\\${"$1"}%_`],
    ["the name of a prototype member", "__proto__"],
    ["the maximum length", "s".repeat(255)],
  ])("may have any sessionID: %s", async (_, text) => {
    await send(node, ann, bob, "call", text);
    await send(node, bob, ann, "accept", text);
    await send(node, ann, bob, "hangUp", text);
    expect((await waitForCall(node, bob, text, "HUNG_UP")).callId).toBe(text);
  });

  it("with too long a sessionID is delivered but not recorded", async () => {
    const [id, mark] = ["x".repeat(256), newSessionId()];
    const device = await opened(connectGraphqlWs(node, bob));
    device.discard();
    await send(node, ann, bob, "call", id);
    expect((await device.next()).callId).toBe(id);
    await send(node, ann, bob, "call", mark);
    await waitForCall(node, ann, mark, "RINGING");
    expect(await readCall(node, ann, id)).toBe("NOT_FOUND");
  });
});

describe("a stranger", () => {
  it("cannot change a call by guessing its sessionID", async () => {
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    for (const type of ["hangUp", "accept", "reject"]) {
      await send(node, dan, bob, type, id);
      await send(node, dan, ann, type, id);
    }
    // On behalf of the caller, to somebody else and to the callee; and as a separate call.
    await send(node, dan, cleo, "call", id, { callerId: String(ann.id) });
    await send(node, dan, bob, "call", id, { callerId: String(ann.id) });
    await send(node, bob, ann, "accept", id);
    const call = await waitForCall(node, ann, id, "ACCEPTED");
    expect(call.participants).toHaveLength(2);
    // The stranger's calls are recorded as the stranger's own.
    const own = await waitForCall(node, dan, id, "RINGING", [bob, "RINGING"]);
    expect(own.callerId).toBe(String(dan.id));
    expect(own.participants.map((each: { userId: string }) => each.userId)).toEqual(
      [dan.id, cleo.id, bob.id].map(String),
    );
    await send(node, dan, bob, "hangUp", id);
    await waitForCall(node, dan, id, "RINGING", [bob, "HUNG_UP"]);
    expect(await readCall(node, ann, id)).toEqual(call);
  });

  it("cannot read calls of others by any operation", async () => {
    const id = newSessionId();
    const elsewhere = await secondApplication(node);
    const foreign = await newUser(elsewhere);
    const socket = await openSocket(node, dan.token);
    clients.push(socket);
    socket.send({ id: "c", type: "subscribe", payload: { query: CHANGES } });
    const { data } = await socket.run("{ currentSession { id } }");
    expect(data.currentSession.id).toBeDefined();
    await send(node, ann, bob, "call", id);
    const call = await waitForCall(node, ann, id, "RINGING");
    for (const user of [dan, foreign]) {
      expect(await readCall(node, user, id)).toBe("NOT_FOUND");
      expect(JSON.stringify(await list(user))).not.toContain(id);
    }
    for (const [token, code] of [
      [await applicationToken(node), "FORBIDDEN"],
      // Members name a call by its record.
      [await ownerToken(node), "INVALID"],
    ] as const) {
      expect(await readCall(node, { token }, id)).toBe(code);
      expect((await list({ token }))[0].extensions.code).toBe("FORBIDDEN");
    }
    // The same sessionID in another application is another call.
    const friend = await newUser(elsewhere);
    await send(elsewhere, foreign, friend, "call", id);
    const theirs = await waitForCall(elsewhere, friend, id, "RINGING");
    expect([theirs.callerId, theirs.id === call.id]).toEqual([String(foreign.id), false]);
    expect(await readCall(node, ann, id)).toEqual(call);
    expect(socket.received.filter(({ id: name }) => name === "c")).toEqual([]);
  });

  it("cannot read a guest's call either", async () => {
    const id = newSessionId();
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    const body = { ...signedParameters(node, clock.now()), user: { guest: 1 } };
    const { token } = (await rest(node, "POST", "/session", { body })).body.session;
    expect(await readCall(node, { token }, id)).toBe("NOT_FOUND");
    expect(await list({ token })).toMatchObject({ nodes: [] });
    const own = newSessionId();
    await send(node, { token }, bob, "call", own);
    expect(await waitForCall(node, { token }, own, "RINGING")).toMatchObject({ callId: own });
  });
});

describe("the list of the viewer's calls", () => {
  let user: TestUser;
  let ids: string[];
  beforeAll(async () => {
    user = await newUser(node);
    ids = Array.from({ length: 5 }, newSessionId);
    for (const [index, id] of ids.entries()) {
      await send(node, index % 2 ? user : ann, index % 2 ? ann : user, "call", id);
      await waitForCall(node, user, id, "RINGING");
    }
    await send(node, user, ann, "hangUp", ids[1] ?? "");
    await waitForCall(node, user, ids[1] ?? "", "HUNG_UP");
  });

  it("is sorted newest first and paginated", async () => {
    const whole = await list(user);
    const shown = whole.nodes.map((each: { callId: string }) => each.callId);
    expect(shown).toEqual([...ids].reverse());
    expect(whole.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const paged: string[] = [];
    let after: string | null = null;
    for (;;) {
      const page = await list(user, { first: 2, after });
      expect(page.edges.map((each: { node: object }) => each.node)).toEqual(
        page.nodes.map(({ callId }: { callId: string }) => ({ callId })),
      );
      paged.push(...page.nodes.map((each: { callId: string }) => each.callId));
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(paged).toEqual(shown);
  });

  it("can be filtered by state", async () => {
    const over = await list(user, { states: ["HUNG_UP", "MISSED"] });
    expect(over.nodes).toEqual([{ callId: ids[1], state: "HUNG_UP" }]);
    expect((await list(user, { states: ["RINGING"] })).nodes).toHaveLength(4);
    expect((await list(user, { states: [] })).nodes).toEqual([]);
  });

  it.each([
    { first: 0 },
    { first: -1 },
    { after: "x" },
    { after: "-1" },
    { after: "" },
  ])("refuses the page %j", async (page) => {
    expect((await list(user, page))[0].extensions.code).toBe("INVALID");
  });
});

describe("changes of the viewer's calls", () => {
  it("are published to every participant, each state once", async () => {
    const id = newSessionId();
    const sockets = await Promise.all([ann, bob].map((user) => openSocket(node, user.token)));
    clients.push(...sockets);
    for (const socket of sockets) {
      socket.send({ id: "c", type: "subscribe", payload: { query: CHANGES } });
      // Resolves once the subscription is active.
      await socket.run("{ currentSession { id } }");
    }
    await send(node, ann, bob, "call", id);
    await waitForCall(node, ann, id, "RINGING");
    await send(node, ann, bob, "call", id);
    await send(node, bob, ann, "accept", id);
    await waitForCall(node, ann, id, "ACCEPTED");
    await send(node, bob, ann, "hangUp", id);
    await waitForCall(node, ann, id, "HUNG_UP");
    // Recorded without changing any state.
    await send(node, ann, bob, "hangUp", id);
    const mark = newSessionId();
    await send(node, ann, bob, "call", mark);
    for (const { received } of sockets) {
      const changes = await eventually(
        () =>
          received.filter((each) => each.id === "c").map(({ payload }) => payload.data.callChanges),
        (calls) => calls.at(-1)?.callId === mark,
      );
      expect(changes.map(({ callId, state }) => [callId, state])).toEqual([
        [id, "RINGING"],
        [id, "ACCEPTED"],
        [id, "HUNG_UP"],
        [mark, "RINGING"],
      ]);
    }
  });

  it("can be limited to one call", async () => {
    const [id, other] = [newSessionId(), newSessionId()];
    const socket = await openSocket(node, cleo.token);
    clients.push(socket);
    const query = "subscription ($id: ID) { callChanges(callId: $id) { callId } }";
    socket.send({ id: "c", type: "subscribe", payload: { query, variables: { id } } });
    await socket.run("{ currentSession { id } }");
    await send(node, ann, cleo, "call", other);
    await waitForCall(node, cleo, other, "RINGING");
    await send(node, ann, cleo, "call", id);
    const changes = await eventually(
      () => socket.received.filter((each) => each.id === "c"),
      (each) => each.length > 0,
    );
    expect(changes.map(({ payload }) => payload.data.callChanges.callId)).toEqual([id]);
  });
});

describe("while the call tables are locked", () => {
  it("signals are delivered, and the calls are recorded later", async () => {
    // Users without a ringing call of another test.
    const [one, other] = [await newGuest(node), await newGuest(node)];
    const device: GraphqlClient = await opened(connectGraphqlWs(node, other));
    const caller: GraphqlClient = await opened(connectGraphqlWs(node, one));
    const ids = Array.from({ length: 20 }, newSessionId);
    const release = await lockCallTables(node);
    try {
      for (const callId of ids) {
        const call = { callType: "AUDIO", sdp: "v=0", callId };
        await caller.send({ to: { userId: other.id }, signalType: "call", ...call });
        expect((await device.next()).callId).toBe(callId);
        await device.send({ to: { userId: one.id }, signalType: "accept", sdp: "v=0", callId });
        expect((await caller.next()).callId).toBe(callId);
      }
    } finally {
      await release();
    }
    for (const callId of ids) await waitForCall(node, one, callId, "ACCEPTED");
  });
});

describe("call records", () => {
  it("are exported, and erased with the user; those of the other participants remain without the name", async () => {
    const user = await newUser(node);
    const [called, calling, both] = [newSessionId(), newSessionId(), newSessionId()];
    const gone = await newUser(node);
    await send(node, ann, user, "call", called);
    await send(node, user, ann, "call", calling);
    await send(node, user, gone, "call", both);
    for (const id of [called, calling, both]) await waitForCall(node, user, id, "RINGING");
    const owner = await ownerToken(node);
    const input = (id: number) => ({
      input: { applicationId: String(node.application.id), userId: String(id) },
    });
    const EXPORT =
      "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }";
    const { data } = await graphql(node, EXPORT, input(user.id), owner);
    const { calls } = data.exportUser.export;
    expect(calls).toMatchObject([
      { sessionId: called, participation: { userId: user.id, sessionId: called } },
      { sessionId: calling, participation: { userId: user.id, state: "ringing" } },
      { sessionId: both },
    ]);
    const ERASE =
      "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }";
    for (const { id } of [gone, user]) {
      const erased = await graphql(node, ERASE, { input: { id: String(id) } }, owner);
      expect(erased.errors).toBeUndefined();
    }
    const left = await readCall(node, ann, calling);
    expect(left).toMatchObject({ callerId: null, participants: [{ userId: String(ann.id) }] });
    expect(await readCall(node, ann, called)).toMatchObject({
      participants: [{ userId: String(ann.id) }],
    });
    expect(await node.sql("SELECT id FROM calls WHERE session_id = $1", [both])).toEqual([]);
  });

  it("are deleted CALL_RETENTION_DAYS after the start of the call", async () => {
    const [old, young] = [newSessionId(), newSessionId()];
    for (const id of [old, young]) {
      await send(node, ann, bob, "call", id);
      await waitForCall(node, ann, id, "RINGING");
    }
    const start = new Date(clock.now() - 90 * DAY - MINUTE);
    await node.sql("UPDATE calls SET started_at = $2 WHERE session_id = $1", [old, start]);
    await runJob("call-purge");
    await eventually(
      () => readCall(node, ann, old),
      (call) => call === "NOT_FOUND",
    );
    expect(await readCall(node, ann, young)).toMatchObject({ callId: young });
  });

  it("are counted in metrics", async () => {
    const text = await (await fetch(`${node.baseUrl}/metrics`)).text();
    expect(text).toMatch(/signalbox_call_records_total\{outcome="written"\} [1-9]/);
    expect(text).toMatch(/signalbox_call_records_total\{outcome="unmatched"\} [1-9]/);
    expect(text).not.toMatch(/signalbox_call_records_total\{outcome="dropped"\} [1-9]/);
  });
});

if (hasServices)
  describe("two nodes", () => {
    let other: TestNode;
    beforeAll(async () => {
      other = await startNode({ CHAT_DOMAIN: DOMAIN }, { clock, jobsPollMs: 100 }, node);
    });
    afterAll(() => other.stop());

    it("record one call together, and publish its changes on both", async () => {
      const ids = Array.from({ length: 20 }, newSessionId);
      const socket = await openSocket(other, ann.token);
      clients.push(socket);
      socket.send({ id: "c", type: "subscribe", payload: { query: CHANGES } });
      await socket.run("{ currentSession { id } }");
      for (const id of ids) {
        // Concurrently, so that either node may write first.
        await send(node, ann, bob, "call", id);
        await send(other, bob, ann, "accept", id);
      }
      for (const id of ids) await waitForCall(other, ann, id, "ACCEPTED");
      const states = () =>
        new Map(
          socket.received
            .filter((each) => each.id === "c")
            .map(({ payload: { data } }) => [data.callChanges.callId, data.callChanges.state]),
        );
      await eventually(states, (changes) => ids.every((id) => changes.get(id) === "ACCEPTED"));
    });
  });
