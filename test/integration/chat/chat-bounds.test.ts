import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { Fault } from "../../../src/core/errors";
import {
  auth,
  bind,
  connectRaw,
  OPEN,
  SAMPLED_TRANSPORTS,
  signInRaw,
  startChat,
  type TestChat,
} from "../../support/chat/chat";
import { SAMPLED } from "../../support/exhaustive";
import { trustOptions } from "../../support/operations/certificates";

/** Limits of a client's input and of unauthenticated connections. */

const PING = (id: string) => `<iq id="${id}" type="get"><ping xmlns="urn:xmpp:ping"/></iq>`;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: Parameters<typeof startChat>[0]): Promise<TestChat> {
  const chat = await startChat(options);
  closers.push(() => chat.close());
  return chat;
}

const addressOf = (url: string) => ({ host: "127.0.0.1", port: Number(new URL(url).port) });
/** Opens a connection that sends nothing. The endpoint may close it at once. */
async function silent(url: string): Promise<Socket> {
  const socket = connect(addressOf(url));
  socket.on("error", () => {}).resume();
  closers.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}
const closed = async (socket: Socket) => {
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
};

describe.each(SAMPLED_TRANSPORTS)(`over %s${SAMPLED}`, (transport) => {
  it("is read at the rate limit, without an error", async () => {
    const chat = await start({ limits: { bytesPerSecond: 100_000 } });
    const client = await signInRaw(chat.urls[transport], "42-7", "web");
    const startedAt = performance.now();
    const stanza = `<iq id="x" type="result"><x>${"x".repeat(20_000)}</x></iq>`;
    for (let count = 0; count < 35; count += 1) client.send(stanza);
    client.send(PING("last"));
    expect(await client.next()).toContain(' id="last"');
    // Of 700,000 bytes, 400,000 are a burst, and some were read before the pause took effect.
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    client.socket.terminate();
  });

  it("gets an answer to each of many requests with one id", async () => {
    const chat = await start({ limits: { bytesPerSecond: 0 } });
    const client = await signInRaw(chat.urls[transport], "42-7", "web");
    for (let count = 0; count < 500; count += 1) client.send(PING("same"));
    client.send(PING("last"));
    let answers = 0;
    while (!(await client.next()).includes(' id="last"')) answers += 1;
    expect(answers).toBe(500);
    client.socket.terminate();
  });

  it("may send any amount if the rate limit is off", async () => {
    const chat = await start({ limits: { bytesPerSecond: 0 } });
    const client = await signInRaw(chat.urls[transport], "42-7", "web");
    const stanza = `<iq id="x" type="result"><x>${"x".repeat(60_000)}</x></iq>`;
    for (let count = 0; count < 200; count += 1) client.send(stanza);
    client.send(PING("last"));
    expect(await client.next()).toContain(' id="last"');
    client.socket.terminate();
  });

  it("can end its stream while reading is paused", async () => {
    const chat = await start({ limits: { bytesPerSecond: 1_000, closeMs: 50 } });
    const client = await signInRaw(chat.urls[transport], "42-7", "web");
    client.send(`<iq id="x" type="result"><x>${"x".repeat(20_000)}</x></iq>`);
    await chat.close();
    closers.pop();
    expect((await client.rest()).frames.join("")).toContain("<system-shutdown ");
  });

  it("counts the messages of each user, and refuses those above the limit", async () => {
    const counted: unknown[] = [];
    const chat = await start({
      messageCounter: (user) => (ip) => {
        counted.push({ ...user, ip });
        if (counted.length > 2) throw new Fault("LIMITED", "Too many", undefined, 60);
      },
    });
    const bob = await signInRaw(chat.urls[transport], "43-7", "b");
    const client = await signInRaw(chat.urls[transport], "42-7", "web");
    const chatter = (id: string) =>
      `<message to="43-7@chat.example" type="chat" id="${id}"><body>x</body></message>`;
    const call = `<message to="43-7@chat.example" type="headline" id="c"><extraParams xmlns="jabber:client"><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>hangUp</signalType><sessionID>s</sessionID></extraParams></message>`;
    client.send(chatter("one"));
    client.send(call);
    client.send(chatter("two"));
    client.send(call);
    expect(await bob.next()).toContain(' id="one"');
    expect(await bob.next()).toContain(' id="c"');
    for (const id of ["two", "c"]) {
      const refused = await client.next();
      expect(refused).toContain(` id="${id}" type="error"`);
      expect(refused).toMatch(/<error type="wait"><resource-constraint /);
    }
    expect(counted).toHaveLength(4);
    expect(counted[0]).toMatchObject({ applicationId: 7, userId: 42, ip: "127.0.0.1" });
    for (const raw of [bob, client]) raw.socket.terminate();
  });

  it("buffers little of a client's input before authentication", async () => {
    let admit = () => {};
    const gate = new Promise<void>((resolve) => {
      admit = resolve;
    });
    const chat = await start({
      async authenticate() {
        await gate;
        return { sessionId: null, confirm: async () => undefined };
      },
    });
    const client = await connectRaw(chat.urls[transport]);
    client.send(OPEN);
    for (let count = 0; count < 2; count += 1) await client.next();
    client.send(auth("42-7", "password"));
    client.send(OPEN);
    client.send(bind("web"));
    const stanza = `<iq id="x" type="result"><x>${"x".repeat(60_000)}</x></iq>`;
    for (let count = 0; count < 400; count += 1) client.send(stanza);
    // The rest stays with the client once the endpoint's queue and the buffers of both sockets are full.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(client.socket.bufferedAmount).toBeGreaterThan(100 * stanza.length);
    admit();
    expect(await client.next()).toContain("<success ");
    for (let count = 0; count < 2; count += 1) await client.next();
    expect(await client.next()).toContain("<jid>42-7@chat.example/web</jid>");
    client.send(PING("last"));
    expect(await client.next()).toContain(' id="last"');
    client.socket.terminate();
  });

  describe("before authentication", () => {
    it("refuses connections above the limit of a network until one has authenticated", async () => {
      const chat = await start({ limits: { preAuth: { perNetwork: 3, total: 100 } } });
      const url = chat.urls[transport];
      const waiting = await connectRaw(url);
      const others = [await silent(url), await silent(url)];
      await closed(await silent(url));
      for (const frame of [OPEN, auth("42-7", "password")]) waiting.send(frame);
      for (let count = 0; count < 3; count += 1) await waiting.next();
      const third = await connectRaw(url);
      await closed(await silent(url));
      third.socket.terminate();
      for (const socket of others) socket.destroy();
      for (;;) {
        // The endpoint notices the closed connections a moment later.
        const client = await signInRaw(url, "43-7", "web").catch(() => undefined);
        client?.socket.terminate();
        if (client) break;
      }
      waiting.socket.terminate();
    });

    it("closes the longest pending connection above the total limit, so that sign-ins succeed", async () => {
      const chat = await start({
        limits: { negotiationMs: 600_000, preAuth: { perNetwork: 100, total: 3 } },
      });
      const url = chat.urls[transport];
      const bound = await signInRaw(url, "42-7", "web");
      const sockets: Socket[] = [];
      for (let count = 0; count < 3; count += 1) sockets.push(await silent(url));
      const late = await signInRaw(url, "43-7", "web");
      await closed(sockets[0] as Socket);
      late.send(PING("late"));
      expect(await late.next()).toContain(' id="late"');
      bound.send(PING("bound"));
      expect(await bound.next()).toContain(' id="bound"');
      for (const raw of [bound, late]) raw.socket.terminate();
    });

    it("applies no network limit to the address of a load balancer", async () => {
      const chat = await start({
        config: { TRUST_PROXY: ["127.0.0.0/8"] },
        limits: { preAuth: { perNetwork: 1, total: 100 } },
      });
      const url = chat.urls[transport];
      for (let count = 0; count < 5; count += 1) await silent(url);
      const client = await signInRaw(url, "42-7", "web");
      const known = transport === "ws" || transport === "wss" ? "127.0.0.1" : null;
      expect(chat.attempts).toMatchObject([{ ip: known }]);
      client.socket.terminate();
    });
  });
});

describe.each(["ws", "wss"] as const)("over %s only", (transport) => {
  it("counts a client behind a proxy by its forwarded address", async () => {
    const chat = await start({
      config: { TRUST_PROXY: ["127.0.0.0/8"] },
      limits: { preAuth: { perNetwork: 1, total: 100 } },
    });
    const url = chat.urls[transport];
    const from = (ip: string) => ({ headers: { "x-forwarded-for": ip } });
    const first = await connectRaw(url, from("203.0.113.9"));
    const second = new WebSocket(url, "xmpp", {
      ...from("203.0.113.9"),
      ...(await trustOptions()),
    });
    await expect(once(second, "open")).rejects.toThrow("503");
    const other = await connectRaw(url, from("203.0.113.10"));
    for (const raw of [first, other]) raw.socket.terminate();
  });
});
