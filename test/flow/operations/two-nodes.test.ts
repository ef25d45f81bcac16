import { type RedisServer, startRedis } from "../../../scripts/services/redis-server";
import { ActivityTracker } from "../../../src/domain/sessions/activity-tracker";
import { signInStream } from "../../../src/domain/sessions/stream-sign-in";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { openTestModules } from "../../support/auth-modules";
import { connectGraphqlWs } from "../../support/calls/graphql-signals";
import { sendInput } from "../../support/calls/send-input";
import { connectStrophe, connectXmppJs, jidOf, rawChat } from "../../support/calls/signal-clients";
import { asInput, EXAMPLES, writtenByGraphql } from "../../support/calls/signal-examples";
import { auth, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { treeOf } from "../../support/chat/xml-tree";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, rest, signedParameters, signIn, type TestUser } from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";

const NO_SESSION = "Required session does not exist";
const HANG_UP = { signalType: "hangUp", callId: "s" };

const clients: { close(): unknown }[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  for (const client of clients.splice(0)) await client.close();
});

/** Opens a client that is closed after the test. */
async function opened<T extends { close(): unknown }>(opening: Promise<T>): Promise<T> {
  const client = await opening;
  clients.push(client);
  return client;
}

const whoAmI = (node: TestNode, token: string) => rest(node, "GET", "/session", { token });

if (hasServices) describe("two nodes on one PostgreSQL and Redis", onServices);
else describe("two nodes on one data folder", onOneFolder);

it("a node that was disconnected from the others finds ended sessions after the reconnect", async () => {
  const node = await startNode();
  const modules = await openTestModules({ store: node.app.store });
  try {
    const user = await newUser(node);
    const endedSession = await signIn(node, user);
    const closed: string[] = [];
    const watch = (
      name: string,
      sessionId: number | null,
      userId: number,
      passwordFingerprint?: string,
    ) =>
      new Promise<void>((resolve) => {
        const close = () => resolve(void closed.push(name));
        modules.sessionEvents.track({ sessionId, userId, passwordFingerprint, close });
      });
    const changing = await newUser(node);
    const byPassword = async (name: string, { id, password: secret }: TestUser) => {
      const who = { applicationId: node.application.id, userId: id, secret, ip: null };
      const { sessionId, passwordFingerprint } = await signInStream(modules.sessions, who);
      return { ended: watch(name, sessionId, id, passwordFingerprint) };
    };
    void watch("live", user.sessionId, user.id);
    await byPassword("live by password", user);
    const byOldPassword = await byPassword("by the old password", changing);
    const fields = { old_password: changing.password, password: "another horse" };
    const answer = await rest(node, "PUT", `/users/${changing.id}`, {
      token: changing.token,
      body: { user: fields },
    });
    expect(answer.status).toBe(200);
    await byPassword("by the new password", { ...changing, password: "another horse" });
    const ended = watch("session", endedSession.sessionId, user.id);
    const deleted = watch("user", null, 9_007_199_254_740_991);
    const blocked = await newUser(node);
    const blockedByPassword = await byPassword("blocked", blocked);
    await rest(node, "DELETE", "/session", { token: endedSession.token });
    await blockUser(node, blocked);
    expect(closed).toEqual([]);
    // Sent by the bus after a reconnect. The periodic check comes far later.
    await modules.platform.bus.publish("session-events", "");
    await Promise.all([ended, deleted, byOldPassword.ended, blockedByPassword.ended]);
    // A connection may be told twice that it has ended.
    expect([...new Set(closed)].sort()).toEqual([
      "blocked",
      "by the old password",
      "session",
      "user",
    ]);
  } finally {
    await modules.close();
    await node.stop();
  }
});

function onOneFolder() {
  it("are rejected, and the first node continues", async () => {
    const node = await startNode();
    try {
      const user = await newUser(node);
      await expect(startNode({}, {}, node)).rejects.toMatchObject({
        name: "UnusableDatabaseError",
        message: expect.stringMatching(/another process/),
      });
      expect((await whoAmI(node, user.token)).body.session.user_id).toBe(user.id);
    } finally {
      await node.stop();
    }
  });
}

function onServices() {
  let one: TestNode;
  let two: TestNode;
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    one = await startNode({ CHAT_DOMAIN: DOMAIN });
    two = await startNode({}, {}, one);
  });
  // New users for each test, so that calls of one test do not ring in the next.
  beforeEach(async () => {
    [alice, bob] = [await newUser(one), await newUser(two)];
  });
  afterAll(async () => {
    await two?.stop();
    await one?.stop();
  });

  it("have different addresses", () => {
    expect(two.baseUrl).not.toBe(one.baseUrl);
    expect(two.chatUrl).not.toBe(one.chatUrl);
    expect(two.app.created).toBeNull();
  });

  describe.each([
    ["from the first to the second", () => [one, two] as const],
    ["from the second to the first", () => [two, one] as const],
  ])("signals %s", (_name, nodes) => {
    it.each(EXAMPLES)("$name: XMPP to GraphQL and back", async ({ typename, stanza, input }) => {
      const [here, there] = nodes();
      const participants = { caller: alice.id, callee: bob.id, third: alice.id };
      // Separate users, since only the first device of a user may accept.
      const users = [alice, await newUser(here), await newUser(here)] as const;
      const chats = [
        await opened(rawChat(here, users[0], "frames")),
        await opened(connectXmppJs(here, users[1], "xmpp.js")),
        await opened(connectStrophe(here, users[2], "strophe")),
      ] as const;
      const subscriber = await opened(connectGraphqlWs(there, bob));
      for (const [index, chat] of chats.entries()) {
        chat.send(stanza(chat.jid, jidOf(there, bob), participants));
        const received = await subscriber.next();
        const device = chat.jid.slice(chat.jid.indexOf("/") + 1);
        const userId = String(users[index]?.id);
        expect(received).toMatchObject({ __typename: typename, from: { userId, device } });
        expect(asInput(received)).toEqual(input(participants));
      }
      for (const [index, user] of users.entries()) {
        await subscriber.send({ to: { userId: user.id }, ...input(participants) });
        const expected = stanza(
          jidOf(there, bob, subscriber.device),
          jidOf(here, user),
          participants,
        );
        expect(await chats[index]?.next()).toEqual(treeOf(writtenByGraphql(expected)));
      }
    });

    it("keep their order", async () => {
      const [here, there] = nodes();
      const chat = await opened(rawChat(here, alice, "web"));
      const subscriber = await opened(connectGraphqlWs(there, bob));
      const ids = Array.from({ length: 50 }, (_, index) => `n${index}`);
      for (const id of ids) {
        chat.send(
          `<message xmlns="jabber:client" type="headline" id="${id}" to="${jidOf(here, bob)}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>update</signalType></extraParams></message>`,
        );
      }
      for (const id of ids) expect((await subscriber.next()).id).toBe(id);
    });
  });

  it("deliver signals to the devices of a user on both nodes, or to one device", async () => {
    const caller = await opened(connectGraphqlWs(one, alice));
    const [near, far] = [
      await opened(rawChat(one, bob, "near")),
      await opened(rawChat(two, bob, "far")),
    ];
    await caller.send({ ...HANG_UP, id: "far", to: { userId: bob.id, device: "far" } });
    await caller.send({ ...HANG_UP, id: "all", to: { userId: bob.id } });
    expect((await near.next()).attributes.id).toBe("all");
    expect((await far.next()).attributes.id).toBe("far");
    expect((await far.next()).attributes.id).toBe("all");
  });

  it("give a resource to the stream that bound it last, on any node", async () => {
    const old = await opened(rawChat(one, bob, "phone"));
    const other = await opened(rawChat(one, bob, "tablet"));
    const newer = await opened(rawChat(two, bob, "phone"));
    expect(await old.ended).toBe("conflict");
    const caller = await opened(connectGraphqlWs(one, alice));
    await caller.send({ ...HANG_UP, id: "all", to: { userId: bob.id } });
    for (const chat of [newer, other]) expect((await chat.next()).attributes.id).toBe("all");
  });

  /** A user with an extra session to end, and connections of that session to the second node. */
  async function connected() {
    // The other node must learn of the end by an event, and not by its check every 30 seconds.
    jest.spyOn(ActivityTracker.prototype, "sweep").mockResolvedValue();
    const user = await newUser(one);
    const other = { ...user, ...(await signIn(one, user)) };
    const socket = await opened(openSocket(two, other.token));
    return {
      user,
      /** Another session of the same user. */
      other,
      subscriber: await opened(connectGraphqlWs(two, other)),
      socket,
      byToken: await opened(rawChat(two, user, "token", other.token)),
      byPassword: await opened(rawChat(two, user, "password")),
    };
  }

  async function expectRefused(node: TestNode, token: string): Promise<void> {
    const answer = await whoAmI(node, token);
    expect([answer.status, answer.body]).toEqual([401, { errors: { base: [NO_SESSION] } }]);
    const { errors } = await graphql(node, "{ currentSession { id } }", {}, token);
    expect(errors).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
  }

  it("reject a session that was destroyed on the other node at once, and close its sockets", async () => {
    const { user, other, subscriber, socket, byToken, byPassword } = await connected();
    expect((await whoAmI(two, other.token)).status).toBe(200);
    expect((await rest(one, "DELETE", "/session", { token: other.token })).status).toBe(200);
    await expectRefused(two, other.token);
    await expectRefused(one, other.token);
    expect(await subscriber.ended).toBe(4401);
    expect(await socket.closed).toEqual({ code: 4401, reason: NO_SESSION });
    expect(await byToken.ended).toBe("not-authorized");
    await expectTokenRefusedByChat(user.id, other.token);
    // Connections of the user or of another session stay open.
    const caller = await opened(connectGraphqlWs(one, user));
    await caller.send({ ...HANG_UP, id: "on", to: { userId: user.id } });
    expect((await byPassword.next()).attributes.id).toBe("on");
    expect((await whoAmI(two, user.token)).status).toBe(200);
  });

  async function expectTokenRefusedByChat(userId: number, token: string): Promise<void> {
    const chat = await opened(
      connectRaw(two.chatUrl).then((raw) => ({ ...raw, close: () => raw.socket.terminate() })),
    );
    chat.send(OPEN);
    chat.send(auth(`${userId}-${two.application.id}`, token));
    for (let count = 0; count < 2; count += 1) await chat.next();
    expect(await chat.next()).toContain("<not-authorized/></failure>");
  }

  it("close a session's sockets when it is signed out on the other node", async () => {
    const { other, subscriber, socket, byToken } = await connected();
    expect((await rest(one, "DELETE", "/login", { token: other.token })).status).toBe(200);
    const { status, body } = await whoAmI(two, other.token);
    expect([status, body.session.user_id]).toEqual([200, null]);
    expect((await rest(two, "GET", "/users/1", { token: other.token })).status).toBe(403);
    expect(await subscriber.ended).toBe(4401);
    expect((await socket.closed).code).toBe(4401);
    expect(await byToken.ended).toBe("not-authorized");
  });

  it("end a user's other sessions when the password changes on the other node", async () => {
    const { user, other, subscriber, socket, byToken, byPassword } = await connected();
    const body = { user: { password: "another horse", old_password: user.password } };
    const changed = await rest(one, "PUT", `/users/${user.id}`, { token: user.token, body });
    expect(changed.status).toBe(200);
    await expectRefused(two, other.token);
    expect((await whoAmI(two, user.token)).status).toBe(200);
    expect(await subscriber.ended).toBe(4401);
    expect((await socket.closed).code).toBe(4401);
    expect(await byToken.ended).toBe("not-authorized");
    expect(await byPassword.ended).toBe("not-authorized");
  });

  it("reject a user who was deleted on the other node", async () => {
    const { user, other, subscriber, socket, byToken, byPassword } = await connected();
    const caller = await opened(connectGraphqlWs(two, alice));
    await caller.send({ ...HANG_UP, id: "there", to: { userId: user.id } });
    const deleted = await rest(one, "DELETE", `/users/${user.id}`, { token: user.token });
    expect(deleted.status).toBe(200);
    await expectRefused(two, user.token);
    await expectRefused(two, other.token);
    expect(await subscriber.ended).toBe(4401);
    expect((await socket.closed).code).toBe(4401);
    expect(await byToken.ended).toBe("not-authorized");
    expect(await byPassword.ended).toBe("not-authorized");
    // The streams above have closed, so the second node knows of the deletion.
    const { errors } = await caller.trySend({ ...HANG_UP, to: { userId: user.id } });
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
    expect((await rest(two, "GET", `/users/${user.id}`, { token: alice.token })).status).toBe(404);
    const login = {
      ...signedParameters(two),
      user: { login: user.login, password: user.password },
    };
    expect((await rest(two, "POST", "/session", { body: login })).status).toBe(401);
  });

  it("reject a user whom the owner blocks at the other node, until it is unblocked", async () => {
    const { user, other, subscriber, socket, byToken, byPassword } = await connected();
    const caller = await opened(connectGraphqlWs(two, alice));
    await blockUser(one, user, "Spam");
    await expectRefused(two, user.token);
    await expectRefused(two, other.token);
    expect(await subscriber.ended).toBe(4401);
    expect((await socket.closed).code).toBe(4401);
    expect(await byToken.ended).toBe("not-authorized");
    expect(await byPassword.ended).toBe("not-authorized");
    // Like a user who is not connected.
    await caller.send({ ...HANG_UP, to: { userId: user.id } });
    const login = async () => {
      const { login, password } = user;
      const body = { ...signedParameters(two), user: { login, password } };
      return (await rest(two, "POST", "/session", { body })).status;
    };
    expect(await login()).toBe(403);
    await unblockUser(one, user);
    expect(await login()).toBe(201);
  });

  it("accept a nonce only once across nodes", async () => {
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      const body = signedParameters(first);
      expect((await rest(first, "POST", "/session", { body })).status).toBe(201);
      const again = await rest(second, "POST", "/session", { body });
      expect(again.status).toBe(422);
      expect(again.text).toMatch(/nonce/);
    }
    const body = signedParameters(one);
    const answers = await Promise.all(
      [one, two, one, two].map((node) => rest(node, "POST", "/session", { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });

  it("accept a login only once across nodes", async () => {
    const [here, there] = [await newUser(one), await newUser(two)];
    const login = `twice-${here.id}`;
    const answers = await Promise.all(
      [one, two].map((node, index) =>
        rest(node, "POST", "/users", {
          token: [here, there][index]?.token,
          body: { user: { login, password: "correct horse" } },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  it("continue when one of them stops", async () => {
    const third = await startNode({}, {}, one);
    const subscriber = await opened(connectGraphqlWs(third, bob));
    const chat = await opened(rawChat(third, bob, "web"));
    const stays = await opened(connectGraphqlWs(two, { ...bob, ...(await signIn(two, bob)) }));
    await third.stop();
    expect(await subscriber.ended).toBe(1012);
    expect(await chat.ended).toBe("system-shutdown");
    const caller = await opened(connectGraphqlWs(one, alice));
    await caller.send({ ...HANG_UP, id: "on", to: { userId: bob.id } });
    expect((await stays.next()).id).toBe("on");
  });

  describe("with a Redis that crashes and restarts empty", () => {
    let redis: RedisServer;
    let near: TestNode;
    let far: TestNode;

    beforeAll(async () => {
      redis = await startRedis();
      near = await startNode({ CHAT_DOMAIN: DOMAIN, REDIS_URL: redis.url });
      far = await startNode({}, {}, near);
    });
    afterAll(async () => {
      await far?.stop();
      await near?.stop();
      await redis?.stop();
    });

    it("report the outage, and reconnect without action of clients", async () => {
      const [caller, callee] = [await newUser(near), await newUser(far)];
      const leaving = { ...callee, ...(await signIn(far, callee)) };
      const sender = await opened(connectGraphqlWs(near, caller));
      const subscriber = await opened(connectGraphqlWs(far, callee));
      const device = await opened(rawChat(far, callee, "web"));
      const socket = await opened(openSocket(far, leaving.token));
      const to = { userId: callee.id };
      await sender.send({ ...HANG_UP, id: "before", to });
      expect((await subscriber.next()).id).toBe("before");
      expect((await device.next()).attributes.id).toBe("before");

      await redis.stop("SIGKILL");
      const { errors } = await sender.trySend({ ...HANG_UP, id: "lost", to });
      expect(errors).toMatchObject([{ extensions: { code: "UNAVAILABLE" } }]);
      const chatError = async () => {
        device.send(
          `<message xmlns="jabber:client" type="headline" id="lost" to="${jidOf(far, caller)}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>hangUp</signalType></extraParams></message>`,
        );
        return device.next();
      };
      expect(await chatError()).toMatchObject({
        attributes: { type: "error", id: "lost" },
        content: [
          expect.objectContaining({
            attributes: { type: "wait" },
            content: expect.arrayContaining([
              expect.objectContaining({ name: "remote-server-timeout" }),
            ]),
          }),
        ],
      });
      expect((await fetch(new URL("/readyz", far.baseUrl))).status).toBe(503);
      // Requests that need no other node succeed, and a session still ends on all nodes.
      expect((await whoAmI(far, callee.token)).status).toBe(200);
      expect((await rest(near, "DELETE", "/session", { token: leaving.token })).status).toBe(200);
      await expectRefused(far, leaving.token);

      redis = await startRedis(redis.port);
      const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";
      const send = (id: string) =>
        graphql(near, SEND, { input: sendInput({ ...HANG_UP, id, to }) }, caller.token);
      await eventually(
        () => send("after"),
        (answer) => !answer.errors,
      );
      // Signals may be lost, so subscribers that had received some are disconnected.
      expect(await subscriber.ended).toBe(1013);
      expect(await device.ended).toBe("resource-constraint");
      // They reconnect, and the nodes are connected again.
      const again = await opened(connectGraphqlWs(far, callee));
      const deviceAgain = await opened(rawChat(far, callee, "web"));
      expect((await send("and on")).errors).toBeUndefined();
      expect((await again.next()).id).toBe("and on");
      expect((await deviceAgain.next()).attributes.id).toBe("and on");
      await eventually(
        () => fetch(new URL("/readyz", far.baseUrl)),
        ({ status }) => status === 200,
      );
      // Sessions that ended meanwhile are found, and new ends are published again.
      expect(await socket.closed).toEqual({ code: 4401, reason: NO_SESSION });
      const gone = { ...callee, ...(await signIn(far, callee)) };
      const late = await opened(openSocket(far, gone.token));
      await rest(near, "DELETE", "/session", { token: gone.token });
      expect((await late.closed).code).toBe(4401);
    });
  });
}
