import { WebSocket } from "ws";
import { sendCommand } from "../../../scripts/services/redis-server";
import { inboxOf } from "../../../src/domain/calls/inbox/bus-keys";
import { INBOX_ENTRIES_MAX, INBOX_TTL_MS } from "../../../src/platform/bus/bus";
import { graphql } from "../../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { fillInbox } from "../../support/calls/fill-inbox";
import { sendInput } from "../../support/calls/send-input";
import { jidOf, rawChat } from "../../support/calls/signal-clients";
import { DOMAIN } from "../../support/chat/chat";
import { textAt } from "../../support/chat/xml-tree";
import { eventually, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newGuest, type TestUser } from "../../support/rest-client";

/** The nodes before and after a client's reconnect; different ones if the bus supports several. */
let here: TestNode;
let there: TestNode;
let alice: TestUser;
let bob: TestUser;
const clients: { close(): unknown }[] = [];

const clock = new MovingClock();

beforeAll(async () => {
  here = await startNode({ CHAT_DOMAIN: DOMAIN }, { clock });
  there = hasServices ? await startNode({}, {}, here) : here;
});
beforeEach(async () => {
  [alice, bob] = [await newGuest(here), await newGuest(here)];
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  if (there !== here) await there?.stop();
  await here?.stop();
});

async function opened<T extends { close(): unknown }>(opening: Promise<T>): Promise<T> {
  const client = await opening;
  clients.push(client);
  return client;
}

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";

/** Sends a signal to Bob over HTTP; resolves with its cursor. */
async function send(id: string, input: object = {}, from = alice): Promise<string> {
  const signal = { to: { userId: bob.id }, signalType: "update", callId: "s", id, ...input };
  const { data, errors } = await graphql(here, SEND, { input: sendInput(signal) }, from.token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.sendSignal.cursor;
}
const call = (id: string, callId: string, fields: object = {}) =>
  send(id, { signalType: "call", callId, callType: "VIDEO", sdp: "v=0", ...fields });

const QUERY =
  "subscription ($after: String) { callSignals(after: $after) { id cursor signalType } }";

/** Subscribes; returns a getter of the received messages. */
function subscribe(socket: GraphqlSocket, after: unknown, query = QUERY) {
  socket.send({ id: "r", type: "subscribe", payload: { query, variables: { after } } });
  return () => socket.received.filter(({ id }) => id === "r");
}
const idsOf = (messages: { payload?: { data?: { callSignals: { id: string } } } }[]) =>
  messages.map(({ payload }) => payload?.data?.callSignals.id);

describe("callSignals(after:)", () => {
  it("resumes at the client's position, without gaps or duplicates, while more signals arrive", async () => {
    const first = await opened(openSocket(here, bob.token));
    const received = await first.listen("s", bob.id, "cursor");
    await send("seen");
    const [seen] = await eventually(received, ({ length }) => length === 1);
    await first.close();
    const ids = Array.from({ length: 120 }, (_, index) => `n${index}`);
    for (const [index, id] of ids.slice(0, 80).entries()) {
      await send(id);
      if (index % 10 === 0) {
        await send("not for this device", { to: { userId: bob.id, device: "other" } });
      }
    }
    const second = await opened(openSocket(there, bob.token));
    const messages = subscribe(second, seen?.cursor);
    for (const id of ids.slice(80)) await send(id);
    await eventually(messages, ({ length }) => length >= ids.length);
    await send("last");
    await eventually(messages, ({ length }) => length > ids.length);
    expect(idsOf(messages())).toEqual([...ids, "last"]);
    // Again from the middle: the same signals have the same cursors.
    const middle = messages()[60]?.payload.data.callSignals;
    const third = await opened(openSocket(here, bob.token));
    const again = subscribe(third, middle.cursor);
    await eventually(again, ({ length }) => length >= 60);
    expect(again().map(({ payload }) => payload)).toEqual(
      messages()
        .slice(61)
        .map(({ payload }) => payload),
    );
  });

  it("treats null as omitted, and delivers nothing after the last signal", async () => {
    await send("before");
    const cursor = await send("last");
    const socket = await opened(openSocket(there, bob.token));
    const [fresh, after] = [subscribe(socket, null), await socket.listen("s", bob.id, "", cursor)];
    await send("new");
    await eventually(after, ({ length }) => length === 1);
    await eventually(fresh, (messages) => idsOf(messages).includes("new"));
    expect(after().map(({ id }) => id)).toEqual(["new"]);
    expect(idsOf(fresh())).not.toContain("last");
  });

  /** Expires all entries of Bob's inbox. */
  async function expireInbox(): Promise<void> {
    if (!hasServices) return clock.advance(INBOX_TTL_MS + 1);
    const { port, pathname } = new URL(here.environment.REDIS_URL ?? "");
    const inbox = inboxOf({ applicationId: here.application.id, userId: bob.id });
    const script = `redis.call('SELECT', ${pathname.slice(1)}) return redis.call('DEL', KEYS[1])`;
    expect(await sendCommand(Number(port), `EVAL "${script}" 1 signalbox:inbox:{${inbox}}`)).toBe(
      ":1",
    );
  }

  it("is refused when anything for the user is gone, and resumes after acknowledgements of other devices", async () => {
    const cursor = await send("seen");
    const phone = await opened(rawChat(here, bob, "phone"));
    phone.send('<enable xmlns="urn:xmpp:sm:3" resume="true"/>');
    const socket = await opened(openSocket(there, bob.token));
    const messages = subscribe(socket, cursor);
    const live = await send("live");
    await eventually(messages, ({ length }) => length > 0);
    expect(idsOf(messages())).toEqual(["live"]);
    // The device's own answer, and a signal to another device.
    const fromBob = { to: { userId: alice.id }, signalType: "hangUp" };
    const toTablet = { to: { userId: bob.id, device: "tablet" } };
    for (const [fields, sender] of [
      [fromBob, bob],
      [toTablet, alice],
    ] as const) {
      const before = await send("before");
      await send("missed", fields, sender);
      await expireInbox();
      expect(await refusal(before)).toMatchObject([
        { extensions: { fields: { after: [expect.stringContaining("expired")] } } },
      ]);
    }
    const last = await send("last");
    expect(await refusal(live)).toMatchObject([{ extensions: { code: "INVALID" } }]);
    const again = await opened(openSocket(there, bob.token));
    const rest = subscribe(again, last);
    await send("later");
    await eventually(rest, ({ length }) => length > 0);
    expect(idsOf(rest())).toEqual(["later"]);
  });

  it("delivers what is left after a cursor that has expired if a gap is allowed, and says so", async () => {
    const cursor = await send("seen");
    await send("missed");
    await expireInbox();
    await call("a call", "kept");
    await send("an end", { signalType: "hangUp", callId: "kept" });
    const query =
      "subscription ($after: String) { callSignals(after: $after, allowGap: true) { id mayHaveMissed } }";
    const socket = await opened(openSocket(there, bob.token));
    const messages = subscribe(socket, cursor, query);
    await eventually(messages, ({ length }) => length >= 2);
    await send("live");
    await eventually(messages, ({ length }) => length >= 3);
    expect(messages().map(({ payload }) => payload.data.callSignals)).toEqual([
      { id: "a call", mayHaveMissed: true },
      { id: "an end", mayHaveMissed: false },
      { id: "live", mayHaveMissed: false },
    ]);
    expect(await refusal("x", query)).toMatchObject([{ extensions: { code: "INVALID" } }]);
  });

  async function refusal(after: unknown, query = QUERY) {
    const socket = await opened(openSocket(there, bob.token));
    const messages = subscribe(socket, after, query);
    const [message] = await eventually(messages, ({ length }) => length > 0);
    return message?.payload.errors;
  }

  it.each([
    "callSignals",
    "callAnswers",
  ])("is refused on `after` by %s for an invalid cursor", async (name) => {
    const cursor = await send("first");
    await send("second");
    const toAlice = await send("other", { to: { userId: alice.id } }, bob);
    const suffix = cursor.slice(cursor.indexOf("~"));
    const query = `subscription ($after: String) { ${name}(after: $after) { __typename } }`;
    const cursors = ["", "x", suffix, `x${suffix}`, `0-0${suffix}`, `${"9".repeat(15)}-1${suffix}`];
    for (const after of [
      ...cursors,
      toAlice,
      cursor.replace("~", ""),
      `${cursor}~`,
      "x".repeat(5_000),
    ]) {
      expect(await refusal(after, query)).toMatchObject([
        {
          extensions: { code: "INVALID", fields: { after: [expect.any(String)] } },
        },
      ]);
    }
  });

  it("is refused when signals after the cursor are gone", async () => {
    const cursor = await send("first");
    const next = await send("second");
    await fillInbox(here, alice, bob, "more");
    expect(await refusal(cursor)).toMatchObject([
      { extensions: { code: "INVALID", fields: { after: [expect.stringContaining("expired")] } } },
    ]);
    // After the next cursor nothing is lost: it receives the complete, full inbox.
    const socket = await opened(openSocket(there, bob.token));
    const messages = subscribe(socket, next);
    await eventually(messages, ({ length }) => length >= INBOX_ENTRIES_MAX);
    expect(idsOf(messages())).toEqual(Array.from({ length: INBOX_ENTRIES_MAX }, () => "more"));
  });

  it("closes a client with 1013 that does not read while it catches up, and skips nothing", async () => {
    const cursor = await send("first");
    const sdp = "a=x".repeat(20_000);
    const socket = await opened(openSocket(there, bob.token));
    let sent = 0;
    const more = () => send(`n${sent++}`, { sdp });
    for (let count = 0; count < 100; count++) await more();
    const messages = subscribe(socket, cursor, QUERY.replace("signalType", "sdp"));
    await eventually(messages, ({ length }) => length > 0);
    const close = jest.spyOn(WebSocket.prototype, "close");
    const isClosing = () => close.mock.calls.some(([code]) => code === 1013);
    socket.socket.pause();
    // The operating system's socket buffers vary in size. A socket that does not answer the closing handshake
    // is terminated after 30 s, so the client reads on as soon as it is closing.
    for (let count = 0; count < 600 && !isClosing(); count++) await more();
    await eventually(isClosing, Boolean);
    close.mockRestore();
    socket.socket.resume();
    expect((await socket.closed).code).toBe(1013);
    const ids = idsOf(messages().filter(({ payload }) => payload?.data));
    expect(ids.length).toBeLessThan(sent);
    expect(ids).toEqual(ids.map((_, index) => `n${index}`));
  });
});

describe("a device that connects", () => {
  it("receives the calls that are ringing, with their original id and cursor", async () => {
    const first = await call("first", "ringing");
    const cursor = await call("repeat", "ringing");
    await call("over", "over");
    await send("end", { signalType: "hangUp", callId: "over" });
    await call("rejected", "rejected");
    await call("accepted", "accepted");
    const back = { to: { userId: alice.id } };
    await send("no", { ...back, signalType: "reject", callId: "rejected" }, bob);
    await send("yes", { ...back, signalType: "accept", callId: "accepted", sdp: "v=0" }, bob);
    await send("candidates", {
      signalType: "iceCandidates",
      callId: "ringing",
      iceCandidates: [],
    });
    const socket = await opened(openSocket(there, bob.token));
    const messages = subscribe(socket, undefined);
    await eventually(messages, ({ length }) => length > 0);
    await send("live");
    await eventually(messages, ({ length }) => length > 1);
    expect(messages().map(({ payload }) => payload.data.callSignals)).toMatchObject([
      { id: "repeat", cursor, signalType: "call" },
      { id: "live" },
    ]);
    expect(cursor).not.toBe(first);
  });

  it("receives them over XMPP too, without a delay element", async () => {
    await call("over", "over");
    await send("end", { signalType: "hangUp", callId: "over" });
    await call("rings", "ringing");
    await call("elsewhere", "other", { to: { userId: bob.id, device: "tablet" } });
    const phone = await opened(rawChat(there, bob, "phone"));
    const stanza = await phone.next();
    expect(stanza.attributes).toMatchObject({ id: "rings", to: jidOf(there, bob) });
    expect(textAt(stanza, "extraParams", "sessionID")).toBe("ringing");
    expect(JSON.stringify(stanza)).not.toContain("delay");
    await send("live");
    expect((await phone.next()).attributes.id).toBe("live");
    const tablet = await opened(rawChat(there, bob, "tablet"));
    expect((await tablet.next()).attributes.id).toBe("rings");
    expect((await tablet.next()).attributes.id).toBe("elsewhere");
  });
});
