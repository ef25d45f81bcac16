import { freePort } from "../../scripts/services/binaries";
import {
  connectGraphqlWs,
  type GraphqlClient,
  type SignalData,
} from "../support/calls/graphql-signals";
import { type ChatClient, connectXmppJs, jidOf } from "../support/calls/signal-clients";
import {
  asInput,
  EXAMPLES,
  type ExampleUsers,
  writtenByGraphql,
} from "../support/calls/signal-examples";
import { bind } from "../support/chat/chat";
import type { ChatServer } from "../support/chat/chat-servers/chat-server";
import { CHAT_DOMAIN } from "../support/chat/chat-servers/chat-server";
import { startEjabberd } from "../support/chat/chat-servers/ejabberd";
import { startProsody } from "../support/chat/chat-servers/prosody";
import { ENABLE, resume } from "../support/chat/managed-stream";
import {
  chatClient,
  conditionOf,
  isComponentConnected,
  type Library,
  signedInFrames,
  unstamped,
} from "../support/chat/server-clients";
import { type Tree, textAt, treeOf } from "../support/chat/xml-tree";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { newUser, rest, signIn, type TestUser } from "../support/rest-client";

/** Signalbox as a component of the real Prosody and the real ejabberd, configured by the files of deploy/. */

const COMPONENT_SECRET = "a component's secret";
const SIGN_IN_SECRET = "a secret for signing in";
const MARKER = { signalType: "marker", callId: "s" };

const SERVERS = [
  { name: "Prosody", start: startProsody, spreads: false },
  { name: "ejabberd", start: startEjabberd, spreads: true },
];

describe.each(SERVERS)("connected to $name", ({ name, start, spreads }) => {
  let port: number;
  let server: ChatServer;
  let node: TestNode;
  let first: TestNode;
  let alice: TestUser;
  let bob: TestUser;
  let users: ExampleUsers;
  const opened: { close(): unknown }[] = [];

  const settings = () => ({
    CHAT_MODE: "component",
    CHAT_DOMAIN,
    CHAT_SERVER: `127.0.0.1:${server.componentPort}`,
    CHAT_SECRET: COMPONENT_SECRET,
    CHAT_SIGN_IN_SECRET: SIGN_IN_SECRET,
    CHAT_URL: server.url,
  });
  const keep = async <T extends { close(): unknown }>(opening: Promise<T>): Promise<T> => {
    const client = await opening;
    opened.push(client);
    return client;
  };
  const onChat = (user: TestUser, resource: string, options = {}) =>
    keep(chatClient(server, node, user, resource, options));
  const onGraphql = async (user: TestUser, at = node) => {
    const client = await keep(connectGraphqlWs(at, user));
    client.discard();
    return client;
  };
  const attached = (at: TestNode) => eventually(() => isComponentConnected(at), Boolean);
  const signal = (from: string, to: string, type: string, id: string) =>
    `<message xmlns="jabber:client" type="headline" from="${from}" to="${to}" id="${id}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${type}</signalType><sessionID>s</sessionID></extraParams></message>`;

  /** Resolves when the chat server has received everything sent so far. */
  const flushed = async () => {
    const graph = await onGraphql(bob);
    await graph.send({ to: { userId: bob.id }, ...MARKER });
  };

  let markers = 0;
  /** A signal that marks the end of what a test waits for; with a unique id, or it would be deduplicated. */
  const marker = (sender: ChatClient) =>
    signal(sender.jid, jidOf(node, bob), "marker", `marker-${++markers}`);

  beforeAll(async () => {
    port = await freePort();
    server = await start({
      signInUrl: `http://127.0.0.1:${port}/chat/sign-in`,
      componentSecret: COMPONENT_SECRET,
      signInSecret: SIGN_IN_SECRET,
    });
    first = await startNode({ ...settings(), PORT: String(port) });
    node = first;
    [alice, bob] = [await newUser(node), await newUser(node)];
    users = { caller: alice.id, callee: bob.id, third: alice.id };
    await attached(node);
  });
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.close();
  });
  afterAll(async () => {
    await node?.app.close();
    // The first node owns the database; `node` may be a later one.
    await first?.stop();
    await server?.stop();
  });

  /**
   * A stanza as a chat client parses it. ejabberd does not escape CR, and every parser then drops it (XML 1.0
   * section 2.11), so session descriptions have LF line ends for its clients.
   */
  const asRead = (stanza: string): Tree =>
    treeOf(spreads ? stanza.replaceAll("&#13;", "") : stanza);

  /** The signals before the next marker. */
  async function untilMarker(receiver: GraphqlClient): Promise<SignalData[]> {
    const signals: SignalData[] = [];
    for (;;) {
      const received = await receiver.next();
      if (received.signalType === "marker") return signals;
      signals.push(received);
    }
  }

  describe.each(EXAMPLES)("$name", ({ typename, stanza, input }) => {
    // New users for each example: a second accept of the same call would be refused.
    beforeEach(async () => {
      [alice, bob] = [await newUser(node), await newUser(node)];
      users = { caller: alice.id, callee: bob.id, third: alice.id };
    });

    it.each([
      "frames",
      "Strophe",
    ] as Library[])("goes from a chat client to GraphQL unchanged: %s", async (library) => {
      const sender = await onChat(alice, library, { library });
      const receiver = await onGraphql(bob);
      sender.send(stanza(sender.jid, jidOf(node, bob), users));
      const received = await receiver.next();
      expect(received).toMatchObject({
        __typename: typename,
        from: { userId: String(alice.id), device: library },
        to: { userId: String(bob.id), device: null },
      });
      expect(asInput(received)).toEqual(input(users));
    });

    it("goes from GraphQL to chat clients unchanged, and not back to GraphQL", async () => {
      const receivers = [
        await onChat(bob, "one"),
        await onChat(bob, "two", { library: "Strophe" }),
      ];
      const [sender, other] = [await onGraphql(alice), await onGraphql(bob)];
      await sender.send({ to: { userId: bob.id }, ...input(users) });
      const original = stanza(jidOf(node, alice, sender.device), jidOf(node, bob), users);
      const expected = asRead(writtenByGraphql(original));
      for (const receiver of receivers) expect(unstamped(await receiver.next())).toEqual(expected);
      await sender.send({ to: { userId: bob.id }, ...MARKER });
      expect(await untilMarker(other)).toHaveLength(1);
    });

    it("goes from chat client to chat client unchanged", async () => {
      const [sender, receiver] = [await onChat(alice, "phone"), await onChat(bob, "phone")];
      const sent = stanza(sender.jid, jidOf(node, bob), users);
      sender.send(sent);
      expect(unstamped(await receiver.next())).toEqual(asRead(sent));
    });
  });

  it("a reject by REST reaches the chat client", async () => {
    const receiver = await onChat(alice, "phone");
    const body = { recipientId: alice.id, sessionID: "s", platform: "web" };
    const answer = await rest(node, "POST", "/calls/reject", { token: bob.token, body });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await receiver.next())).toContain("reject");
  });

  it("a full JID reaches its device only, a bare JID all devices", async () => {
    const [phone, tablet] = [await onChat(bob, "phone"), await onChat(bob, "tablet")];
    const sender = await onGraphql(alice);
    await sender.send({ to: { userId: String(bob.id), device: "tablet" }, ...MARKER, id: "one" });
    await sender.send({ to: { userId: bob.id }, ...MARKER, id: "all" });
    expect((await phone.next()).attributes.id).toBe("all");
    expect((await tablet.next()).attributes.id).toBe("one");
    expect((await tablet.next()).attributes.id).toBe("all");

    const [first, second] = [
      await onGraphql(bob),
      await onGraphql({ ...bob, ...(await signIn(node, bob)) }),
    ];
    const chat = await onChat(alice, "phone");
    chat.send(signal(chat.jid, jidOf(node, bob, second.device), "hangUp", "full"));
    chat.send(signal(chat.jid, jidOf(node, bob), "hangUp", "bare"));
    expect((await first.next()).id).toBe("bare");
    expect((await second.next()).id).toBe("full");
    expect((await second.next()).id).toBe("bare");
  });

  describe("a client", () => {
    const trySignIn = (user: TestUser, secret: string) =>
      keep(connectXmppJs({ ...node, chatUrl: server.url }, user, "phone", secret));

    it.each([
      ["the account's password", () => alice.password],
      ["a session token", () => alice.token],
    ])("may sign in with %s", async (_what, secret) => {
      expect((await trySignIn(alice, secret())).jid).toBe(jidOf(node, alice, "phone"));
    });

    it.each([
      ["a wrong password", () => [alice, "wrong horse"]],
      ["another user's token", () => [alice, bob.token]],
      ["an unknown user", () => [{ ...alice, id: 987_654_321 }, alice.password]],
    ] as [string, () => [TestUser, string]][])("may not sign in with %s", async (_what, who) => {
      await expect(trySignIn(...who())).rejects.toMatchObject({ condition: "not-authorized" });
    });

    it("may not sign in with a revoked token, and its stream ends", async () => {
      const session = await signIn(node, alice);
      const stream = await onChat(alice, "phone", { secret: session.token });
      await rest(node, "DELETE", "/session", { token: session.token });
      expect(await stream.ended).toBe(spreads ? "policy-violation" : "not-authorized");
      await expect(trySignIn(alice, session.token)).rejects.toMatchObject({
        condition: "not-authorized",
      });
    });

    it("is disconnected when its account is deleted", async () => {
      const guest = await newUser(node);
      const stream = await onChat(guest, "phone");
      await rest(node, "DELETE", `/users/${guest.id}`, { token: guest.token });
      expect(await stream.ended).toBe(spreads ? "policy-violation" : "not-authorized");
      await expect(trySignIn(guest, guest.password)).rejects.toThrow();
    });
  });

  // Only Prosody ends the streams of one session; ejabberd ends all streams of the user.
  if (!spreads) {
    describe("the session of a stream", () => {
      const end = (token: string) => rest(node, "DELETE", "/session", { token });
      const signedIn = async (secret: string) => {
        const raw = await signedInFrames(server, node, alice, secret);
        opened.push({ close: () => raw.socket.terminate() });
        return raw;
      };
      /** Opens a resumable stream. */
      const managed = async (secret: string) => {
        const raw = await signedIn(secret);
        raw.send(bind("phone"));
        await raw.next();
        raw.send(ENABLE);
        const previd = /^<enabled [^>]*id=['"]([^'"]+)/.exec(await raw.next())?.[1] ?? "";
        return { ...raw, previd };
      };

      it("ends it even before it is bound", async () => {
        const session = await signIn(node, alice);
        const raw = await signedIn(session.token);
        await end(session.token);
        expect((await raw.rest()).frames.join("")).toContain("<not-authorized");
      });

      it("is that of the connection that resumed it", async () => {
        const [first, second] = [await signIn(node, alice), await signIn(node, alice)];
        const lost = await managed(first.token);
        lost.socket.terminate();
        const raw = await signedIn(second.token);
        raw.send(resume(lost.previd, 0));
        expect(await raw.next()).toMatch(/^<resumed /);
        await end(first.token);
        await flushed();
        const graph = await onGraphql(bob);
        const address = jidOf(node, alice, "phone");
        raw.send(signal(address, jidOf(node, bob), "hangUp", "goes on"));
        expect((await graph.next()).id).toBe("goes on");
        await end(second.token);
        expect((await raw.rest()).frames.join("")).toContain("<not-authorized");
      });

      it("ends it even while it waits to be resumed", async () => {
        const [first, second] = [await signIn(node, alice), await signIn(node, alice)];
        const lost = await managed(first.token);
        lost.socket.terminate();
        await end(first.token);
        await flushed();
        const raw = await signedIn(second.token);
        raw.send(resume(lost.previd, 0));
        expect(await raw.next()).toMatch(/^<failed .*<item-not-found/);
      });
    });
  }

  describe("forgery", () => {
    it("a forged sender is not accepted", async () => {
      const [sender, receiver] = [await onChat(alice, "phone"), await onGraphql(bob)];
      sender.send(signal(jidOf(node, bob, "phone"), jidOf(node, bob), "hangUp", "forged"));
      // Prosody replaces the sender, ejabberd ends the stream.
      if (spreads) {
        expect(await sender.ended).toBe("invalid-from");
        await receiver.send({ to: { userId: bob.id }, ...MARKER });
      } else sender.send(marker(sender));
      const senders = (await untilMarker(receiver)).map(({ from }) => from);
      expect(senders).toEqual(spreads ? [] : [{ userId: String(alice.id), device: "phone" }]);
    });

    it("a copy that a client forwards is refused", async () => {
      const [sender, receiver] = [await onChat(alice, "phone"), await onGraphql(bob)];
      const inner = signal(jidOf(node, bob, "phone"), jidOf(node, bob), "hangUp", "forged");
      sender.send(
        `<message xmlns="jabber:client" to="calls.${CHAT_DOMAIN}" id="wrapped"><forwarded xmlns="urn:xmpp:forward:0">${inner}</forwarded></message>`,
      );
      const answer = await sender.next();
      expect([answer.attributes.id, conditionOf(answer)]).toEqual([
        "wrapped",
        "service-unavailable",
      ]);
      await receiver.send({ to: { userId: bob.id }, ...MARKER });
      expect(await untilMarker(receiver)).toEqual([]);
    });

    it.each([
      ["an unknown user", () => jidOf(node, { id: 987_654_321 }), "item-not-found"],
      ["another application", () => `${bob.id}-987654@${CHAT_DOMAIN}`, "item-not-found"],
    ])("a signal to %s is answered with an error", async (_who, to, condition) => {
      const sender = await onChat(alice, "phone");
      sender.send(signal(sender.jid, to(), "hangUp", "lost"));
      const answer = await sender.next();
      expect(answer.attributes).toMatchObject({ type: "error", id: "lost", from: to() });
      expect(conditionOf(answer)).toBe(condition);
    });

    it("a client may bind a resource that looks like a GraphQL device", async () => {
      const sender = await onChat(alice, "graphql-987654321");
      const receiver = await onGraphql(bob);
      sender.send(signal(sender.jid, jidOf(node, bob), "hangUp", "odd"));
      expect(await receiver.next()).toMatchObject({
        id: "odd",
        from: { device: "graphql-987654321" },
      });
    });
  });

  it("a hundred signals arrive in each direction, none lost and none duplicated", async () => {
    const [chat, graph] = [await onChat(alice, "phone"), await onGraphql(bob)];
    const others = [await onChat(bob, "one"), await onChat(bob, "two")];
    const ids = Array.from({ length: 100 }, (_, index) => `n${index}`);
    for (const id of ids) chat.send(signal(chat.jid, jidOf(node, bob), "hangUp", id));
    chat.send(marker(chat));
    expect((await untilMarker(graph)).map(({ id }) => id)).toEqual(ids);
    for (const other of others) expect(await idsUntil(other, `marker-${markers}`)).toEqual(ids);
    for (const id of ids) await graph.send({ to: { userId: alice.id }, ...MARKER, id });
    await graph.send({ to: { userId: alice.id }, ...MARKER, id: "end" });
    expect(await idsUntil(chat, "end")).toEqual(ids);
  });

  it("the largest signals arrive in both directions; a larger one is refused, and the connection stays open", async () => {
    const limit = 6 * 65_536;
    const [chat, graph] = [await onChat(bob, "phone"), await onGraphql(alice)];
    // The rest of the stanza is a few hundred bytes.
    const sdp = "&".repeat((limit - 1_000) / 5);
    await graph.send({ to: { userId: bob.id }, ...MARKER, id: "largest", sdp });
    const received = await chat.next();
    expect(received.attributes.id).toBe("largest");
    expect(textAt(received, "extraParams", "sdp")).toBe(sdp);
    const larger = { ...MARKER, id: "larger", sdp: "&".repeat(limit / 5) };
    const { errors } = await graph.trySend({ to: { userId: bob.id }, ...larger });
    expect(errors?.[0]?.extensions?.code).toBe("TOO_LARGE");
    await graph.send({ to: { userId: bob.id }, ...MARKER, id: "after" });
    expect((await chat.next()).attributes.id).toBe("after");

    const note = '"'.repeat(60_000);
    const stanza = signal(chat.jid, jidOf(node, alice), "marker", "quotes");
    chat.send(stanza.replace("</extraParams>", `<note>${note}</note></extraParams>`));
    expect((await graph.next()).extra).toEqual([{ tree: { name: "note", text: note } }]);
  });

  it("streams at the chat server continue after a restart of Signalbox", async () => {
    const chat = await onChat(alice, "phone");
    await node.app.close();
    node = await startNode({ ...settings(), PORT: String(port) }, {}, node);
    await attached(node);
    const graph = await onGraphql(bob);
    chat.send(signal(chat.jid, jidOf(node, bob), "hangUp", "after"));
    expect((await graph.next()).id).toBe("after");
    await graph.send({ to: { userId: alice.id }, ...MARKER, id: "back" });
    expect((await chat.next()).attributes.id).toBe("back");
  });

  it("a signal that the chat server does not receive is refused, and Signalbox reconnects", async () => {
    const graph = await onGraphql(bob);
    await server.halt("SIGKILL");
    try {
      const { errors } = await graph.trySend({ to: { userId: alice.id }, ...MARKER });
      expect(errors?.[0]?.extensions?.code).toBe("UNAVAILABLE");
      // Signalbox itself is still ready.
      expect((await fetch(`${node.baseUrl}/readyz`)).status).toBe(200);
      expect(await isComponentConnected(node)).toBe(false);
    } finally {
      await server.start();
    }
    await attached(node);
    const chat = await onChat(alice, "phone");
    await graph.send({ to: { userId: alice.id }, ...MARKER, id: "again" });
    expect((await chat.next()).attributes.id).toBe("again");
  });

  it(`a second node ${spreads ? "connects too" : "takes over"}: none lost and none duplicated`, async () => {
    const second = await startNode({ ...settings(), PORT: "0" }, {}, node);
    try {
      if (spreads) await attached(second);
      const chat = await onChat(alice, "phone");
      const graphs = [await onGraphql(bob), await onGraphql(bob, second)];
      const ids = Array.from({ length: 60 }, (_, index) => `${name}${index}`);
      for (const id of ids) chat.send(signal(chat.jid, jidOf(node, bob), "hangUp", id));
      for (const graph of graphs) {
        const received: string[] = [];
        while (received.length < ids.length) received.push((await graph.next()).id);
        // ejabberd distributes copies over both nodes, so their order may change.
        expect(spreads ? received.toSorted(byNumber) : received).toEqual(ids);
      }
      chat.send(marker(chat));
      for (const graph of graphs) expect(await untilMarker(graph)).toEqual([]);
      // From both nodes, connected or not.
      for (const [index, id] of ids.entries()) {
        await graphs[index % 2]?.send({ to: { userId: alice.id }, ...MARKER, id });
      }
      await graphs[0]?.send({ to: { userId: alice.id }, ...MARKER, id: "end" });
      expect(await idsUntil(chat, "end")).toEqual(ids);
      expect([await isComponentConnected(node), await isComponentConnected(second)]).toEqual([
        true,
        spreads,
      ]);

      await node.app.close();
      await attached(second);
      const last = await onGraphql(bob, second);
      chat.send(signal(chat.jid, jidOf(node, bob), "hangUp", "taken over"));
      expect((await last.next()).id).toBe("taken over");
      await last.send({ to: { userId: alice.id }, ...MARKER, id: "back" });
      expect((await chat.next()).attributes.id).toBe("back");
    } finally {
      await second.app.close();
    }
  });
});

/** Compares ids that end with a number. */
function byNumber(a: string, b: string): number {
  return Number(/\d+$/.exec(a)) - Number(/\d+$/.exec(b));
}

/** The ids of the messages before the one with the id `last`. */
async function idsUntil(client: ChatClient, last: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const { id = "" } = (await client.next()).attributes;
    if (id === last) return ids;
    ids.push(id);
  }
}
