import fc from "fast-check";
import { Fault } from "../../../src/core/errors";
import type { Signal } from "../../../src/domain/calls/signals/signal";
import { encodeSignal } from "../../../src/transports/xmpp/stanza/stanza";
import { bind, DOMAIN, signInRaw, startChat, type TestChat } from "../../support/chat/chat";
import {
  ACK_REQUEST,
  ack,
  authenticateRaw,
  ENABLE,
  managedStream,
  nextFrame,
  nextIds,
  resume,
  resumeStream,
  SM,
} from "../../support/chat/managed-stream";
import type { RawClient } from "../../support/chat/raw-client";
import { eventually, MovingClock } from "../../support/moving-clock";

/** Stream management (XEP-0198), frame by frame. */

const PING = (id: string) => `<iq id="${id}" type="get"><ping xmlns="urn:xmpp:ping"/></iq>`;
const NAME = "42-7";
const to = { applicationId: 7, userId: 42 };
const from = { applicationId: 7, userId: 43, resource: "x" };

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const signal = (id: string): Signal => ({ id, from, to, type: "update", extra: [] });
const sendSignals = async (chat: TestChat, ...ids: string[]) => {
  for (const id of ids) await chat.router.send("graphql", signal(id));
};
const numbered = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `n${first + index}`);

const disconnectedCount = async (chat: TestChat) =>
  (await chat.metrics.resumableStreams.get()).values.map(({ value }) => value)[0];
const untilDisconnected = (chat: TestChat, count: number) =>
  eventually(
    () => disconnectedCount(chat),
    (value) => value === count,
  );

/** Breaks the connection, and waits until the endpoint has noticed. */
async function breakConnection(chat: TestChat, client: RawClient): Promise<void> {
  const before = (await disconnectedCount(chat)) ?? 0;
  client.socket.terminate();
  await untilDisconnected(chat, before + 1);
}

/** Binds and acknowledges on each request. Returns the ids of the stanzas that arrive. */
async function idsAsAcknowledged(client: RawClient, count: number): Promise<string[]> {
  client.send(bind("web"));
  await client.next();
  client.send(ENABLE);
  await client.next();
  const ids: string[] = [];
  while (ids.length < count) {
    const frame = await client.next();
    if (frame === ACK_REQUEST) client.send(ack(ids.length));
    else ids.push(/ id="([^"]*)"/.exec(frame)?.[1] ?? "");
  }
  return ids;
}
const failedWith = (condition: string, h?: number) =>
  `<failed xmlns="${SM}"${h === undefined ? "" : ` h="${h}"`}><${condition} xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></failed>`;

describe.each(["ws", "tcp"] as const)("over %s", (transport) => {
  async function start(options: Parameters<typeof startChat>[0] = {}): Promise<TestChat> {
    const chat = await startChat({ transport, ...options });
    closers.push(() => chat.close());
    return chat;
  }

  describe("enabling", () => {
    it("is offered with binding, and not before authentication", async () => {
      const chat = await start();
      const client = await authenticateRaw(chat.url, NAME);
      expect(client.features).toMatch(/<bind .*<sm xmlns="urn:xmpp:sm:3"\/>/);
      expect(client.received[1]).not.toContain(SM);
      client.socket.terminate();
    });

    it("gives a resumable stream an unguessable id", async () => {
      const chat = await start();
      const [one, two] = [
        await signInRaw(chat.url, NAME, "a"),
        await signInRaw(chat.url, NAME, "b"),
      ];
      const ids: string[] = [];
      for (const client of [one, two]) {
        client.send(ENABLE);
        const enabled =
          /^<enabled xmlns="urn:xmpp:sm:3" id="([\w.-]{19,})" max="60" resume="true"\/>$/;
        ids.push(enabled.exec(await client.next())?.[1] ?? "");
      }
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) expect(id).toMatch(/^[\w-]{16}\./);
    });

    it.each([
      "",
      ' resume="false"',
    ])("gives no id unless it is requested: <enable%s/>", async (attribute) => {
      const chat = await start();
      const client = await signInRaw(chat.url, NAME, "web");
      client.send(`<enable xmlns="${SM}"${attribute}/>`);
      expect(await client.next()).toBe(`<enabled xmlns="${SM}"/>`);
      client.send(PING("p"));
      client.send(ACK_REQUEST);
      await client.next();
      expect(await client.next()).toBe(ack(1));
      client.socket.terminate();
      await eventually(
        () => chat.live.size,
        (size) => size === 0,
      );
      expect(await disconnectedCount(chat)).toBe(0);
    });

    it("is refused before binding, which is still possible", async () => {
      const chat = await start();
      const client = await authenticateRaw(chat.url, NAME);
      for (const frame of [ENABLE, ACK_REQUEST, ack(0)]) {
        client.send(frame);
        expect(await client.next()).toBe(failedWith("unexpected-request"));
      }
      client.send(bind("web"));
      expect(await client.next()).toContain("<jid>42-7@chat.example/web</jid>");
    });

    it("is refused a second time, as is resuming on a bound stream", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      for (const frame of [ENABLE, resume(client.previd, 0), `<other xmlns="${SM}"/>`]) {
        client.send(frame);
        expect(await client.next()).toBe(failedWith("unexpected-request"));
      }
      client.send(PING("p"));
      expect(await nextIds(client, 1)).toEqual(["p"]);
    });

    it("is required for requests and acknowledgements", async () => {
      const chat = await start();
      const client = await signInRaw(chat.url, NAME, "web");
      for (const frame of [ACK_REQUEST, ack(0)]) {
        client.send(frame);
        expect(await client.next()).toBe(failedWith("unexpected-request"));
      }
    });
  });

  describe("acknowledgements", () => {
    it("count all handled stanzas, including refused ones, and nothing else", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      client.send(ACK_REQUEST);
      expect(await nextFrame(client)).toBe(ack(0));
      client.send('<presence xmlns="jabber:client"/>');
      client.send('<iq type="result" id="x"/>');
      client.send('<message to="99-7@chat.example" type="chat" id="lost"/>');
      client.send(" ");
      client.send('<active xmlns="urn:xmpp:csi:0"/>');
      client.send(encodeSignal({ ...signal("own"), from: { ...to, resource: "web" } }, DOMAIN));
      client.send(ACK_REQUEST);
      expect((await nextIds(client, 2)).sort()).toEqual(["lost", "own"]);
      expect(await nextFrame(client)).toBe(ack(4));
    });

    it("are requested after five stanzas, or after a delay for fewer, one at a time", async () => {
      const chat = await start({ limits: { ackRequestDelayMs: 100 } });
      const client = await managedStream(chat.url, NAME, "web");
      await sendSignals(chat, ...numbered(12));
      const frames: string[] = [];
      for (let count = 0; count < 13; count += 1) frames.push(await client.next());
      expect(frames.indexOf(ACK_REQUEST)).toBe(5);
      expect(frames.filter((frame) => frame === ACK_REQUEST)).toHaveLength(1);
      // More than five stanzas remain unacknowledged, so the next request follows at once.
      client.send(ack(5));
      expect(await client.next()).toBe(ACK_REQUEST);
      client.send(ack(12));
      await sendSignals(chat, "one", "two");
      expect(await nextIds(client, 2)).toEqual(["one", "two"]);
      expect(await client.next()).toBe(ACK_REQUEST);
      client.send(ack(14));
      await new Promise((resolve) => setTimeout(resolve, 250));
      client.send(PING("end"));
      expect(await client.next()).toContain('id="end"');
    });

    it("may exceed the number of sent stanzas", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await sendSignals(chat, "one");
      expect(await nextIds(client, 1)).toEqual(["one"]);
      client.send(ack(2));
      client.send(ACK_REQUEST);
      expect(await nextFrame(client)).toBe(ack(0));
      // The client counts one too many, so 2 does not acknowledge the second signal.
      await sendSignals(chat, "two", "three");
      expect(await nextIds(client, 2)).toEqual(["two", "three"]);
      client.send(ack(2));
      client.send(ack(3));
      client.send(PING("on"));
      expect(await nextIds(client, 1)).toEqual(["on"]);
      await breakConnection(chat, client);
      const again = await resumeStream(chat.url, NAME, client.previd, 3);
      expect(await nextIds(again, 2)).toEqual(["three", "on"]);
      again.send(ack(4294967295));
      again.send(PING("alive"));
      expect(await nextIds(again, 1)).toEqual(["alive"]);
    });

    it.each(["", "-1", "1.5", "x", "4294967296"])("are refused if invalid: %p", async (h) => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      client.send(ack(h));
      expect(await client.next()).toBe(failedWith("bad-request"));
      client.send(PING("p"));
      expect(await nextIds(client, 1)).toEqual(["p"]);
    });

    it.each([
      ["many", { stanzas: 20, bytes: 1_000_000 }, "x"],
      ["long", { stanzas: 1_000, bytes: 20_000 }, "x".repeat(2_000)],
    ])("that are missing end a stream with too %s stanzas", async (_name, unacknowledged, text) => {
      const chat = await start({ limits: { unacknowledged } });
      const client = await managedStream(chat.url, NAME, "web");
      const ids = numbered(25);
      for (const id of ids) await chat.router.send("graphql", { ...signal(id), sdp: text });
      const { frames } = await client.rest();
      expect(frames.at(-2)).toMatch(/^<stream:error .*<resource-constraint .*acknowledged/);
      const received = frames.filter((frame) => frame.startsWith("<message "));
      expect(received.length).toBeGreaterThan(5);
      expect(received.length).toBeLessThanOrEqual(20);
      const { answer } = await resumeStream(chat.url, NAME, client.previd, 0);
      expect(answer).toBe(failedWith("item-not-found", 0));
    });
  });

  describe("a disconnected stream", () => {
    it("resumes with the unacknowledged and the new stanzas, in order", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      client.send(PING("p1"));
      expect(await nextIds(client, 1)).toEqual(["p1"]);
      await sendSignals(chat, "one", "two", "three");
      expect(await nextIds(client, 3)).toEqual(["one", "two", "three"]);
      client.send(ack(2));
      client.send(PING("p2"));
      expect(await nextIds(client, 1)).toEqual(["p2"]);
      await breakConnection(chat, client);
      await sendSignals(chat, "four");
      const other = await signInRaw(chat.url, "43-7", "x");
      other.send(`<message to="${NAME}@${DOMAIN}" type="chat" id="chat"><body>hi</body></message>`);
      other.send(PING("sent"));
      expect(await nextIds(other, 1)).toEqual(["sent"]);
      expect(chat.live.size).toBe(2);

      // The client received "two" as well, but had not acknowledged it.
      const again = await resumeStream(chat.url, NAME, client.previd, 3);
      expect(again.answer).toBe(`<resumed xmlns="${SM}" previd="${client.previd}" h="2"/>`);
      await sendSignals(chat, "five");
      expect(await nextIds(again, 5)).toEqual(["three", "p2", "four", "chat", "five"]);
      expect(chat.live.size).toBe(2);
      expect(await disconnectedCount(chat)).toBe(0);

      // The counts continue, and the stream can be resumed again.
      again.send(PING("p3"));
      again.send(ACK_REQUEST);
      expect(await nextIds(again, 1)).toEqual(["p3"]);
      expect(await nextFrame(again)).toBe(ack(3));
      again.send(ack(9));
      again.send(ACK_REQUEST);
      expect(await nextFrame(again)).toBe(ack(3));
      await breakConnection(chat, again);
      const third = await resumeStream(chat.url, NAME, client.previd, 9);
      expect(third.answer).toContain('h="3"');
      third.send(PING("end"));
      expect(await nextIds(third, 1)).toEqual(["end"]);
    });

    it("includes one whose client timed out", async () => {
      const chat = await start({ limits: { idleMs: 1_500, ackRequestDelayMs: 10_000 } });
      const client = await managedStream(chat.url, NAME, "web");
      client.socket.pause();
      await untilDisconnected(chat, 1);
      await sendSignals(chat, "one");
      client.socket.terminate();
      const again = await resumeStream(chat.url, NAME, client.previd, 0);
      expect(again.answer).toContain("<resumed ");
      expect(await nextIds(again, 1)).toEqual(["one"]);
      // The request for an acknowledgement is the liveness probe.
      expect(await again.next()).toBe(ACK_REQUEST);
      again.socket.terminate();
    });

    it("can be resumed while the previous connection is open, which then ends", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await sendSignals(chat, "one");
      expect(await nextIds(client, 1)).toEqual(["one"]);
      const again = await resumeStream(chat.url, NAME, client.previd, 0);
      expect(again.answer).toContain("<resumed ");
      const { frames } = await client.rest();
      expect(frames.join("")).toMatch(/<stream:error.*<conflict .*Resumed.*<close /);
      await sendSignals(chat, "two");
      expect(await nextIds(again, 2)).toEqual(["one", "two"]);
      expect(chat.live.size).toBe(1);
      expect((await chat.metrics.sockets.get()).values).toMatchObject([{ value: 1 }]);
    });

    it("belongs to the last of two concurrent resumptions", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await breakConnection(chat, client);
      const two = [await authenticateRaw(chat.url, NAME), await authenticateRaw(chat.url, NAME)];
      for (const each of two) each.send(resume(client.previd, 0));
      const ends = await Promise.race(
        two.map(async (each, index) => {
          const { frames } = await each.rest();
          return { index, frames };
        }),
      );
      expect(ends.frames.join("")).toMatch(/<stream:error.*<conflict /);
      const winner = two[1 - ends.index]!;
      expect(await winner.next()).toContain("<resumed ");
      await sendSignals(chat, "one");
      expect(await nextIds(winner, 1)).toEqual(["one"]);
      expect(chat.live.size).toBe(1);
    });

    it("counts the stanzas in flight before it resumes", async () => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let reached = () => {};
      const waiting = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const chat = await start({
        router: (router) => ({
          ...router,
          async send(protocol, sent) {
            if (sent.from.userId === 42) {
              reached();
              await gate;
            }
            return router.send(protocol, sent);
          },
        }),
      });
      const bob = await signInRaw(chat.url, "43-7", "x");
      const client = await managedStream(chat.url, NAME, "web");
      client.send(encodeSignal({ ...signal("slow"), from: to, to: from }, DOMAIN));
      await waiting;
      await breakConnection(chat, client);
      const again = await authenticateRaw(chat.url, NAME);
      again.send(resume(client.previd, 0));
      await sendSignals(chat, "meanwhile");
      open();
      expect(await again.next()).toContain('h="1"');
      expect(await nextIds(again, 1)).toEqual(["meanwhile"]);
      expect(await nextIds(bob, 1)).toEqual(["slow"]);
    });

    it("can be resumed on another transport", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await breakConnection(chat, client);
      await sendSignals(chat, "one");
      const elsewhere = chat.urls[transport === "ws" ? "tls" : "ws"];
      const again = await resumeStream(elsewhere, NAME, client.previd, 0);
      expect(again.answer).toContain("<resumed ");
      expect(await nextIds(again, 1)).toEqual(["one"]);
    });

    it("can be resumed with other credentials of the user", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web", "token");
      await breakConnection(chat, client);
      const again = await resumeStream(chat.url, NAME, client.previd, 0, "password");
      expect(again.answer).toContain("<resumed ");
      // It belongs to the latest sign-in.
      expect([...chat.live].map(({ sessionId }) => sessionId)).toEqual([null]);
    });
  });

  describe("not resumed:", () => {
    it.each([
      ["another user", "43-7"],
      ["a user of another application", "42-8"],
    ])("a stream of %s", async (_name, name) => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await breakConnection(chat, client);
      await sendSignals(chat, "secret");
      const other = await resumeStream(chat.url, name, client.previd, 0);
      expect(other.answer).toBe(failedWith("item-not-found"));
      other.send(bind("web"));
      expect(await other.next()).toContain("<jid>");
      other.send(PING("p"));
      expect(await nextIds(other, 1)).toEqual(["p"]);
      expect(await disconnectedCount(chat)).toBe(1);
      const own = await resumeStream(chat.url, NAME, client.previd, 0);
      expect(await nextIds(own, 1)).toEqual(["secret"]);
    });

    it("a stream of another node, and the client is not told so while it could not bind", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await breakConnection(chat, client);
      let isReachable = false;
      const other = await start({
        beside: chat,
        router: (router) => ({
          ...router,
          async checkReachable(user) {
            if (!isReachable) throw new Fault("UNAVAILABLE", "Redis cannot be reached");
            await router.checkReachable(user);
          },
        }),
      });
      await sendSignals(chat, "missed");
      const early = await resumeStream(other.url, NAME, client.previd, 0);
      expect(early.answer).toMatch(
        /^<stream:error .*<internal-server-error .*Redis cannot be reached/,
      );
      isReachable = true;
      const late = await resumeStream(other.url, NAME, client.previd, 0);
      expect(late.answer).toBe(failedWith("item-not-found"));
      expect(await idsAsAcknowledged(late, 1)).toEqual(["missed"]);
    });

    it.each([
      ["an unknown id", resume("AAAAAAAAAAAAAAAA.d2Vi", 0), "item-not-found"],
      ["an invalid id", resume("x".repeat(5_000), 0), "item-not-found"],
      ["an id with an invalid resource", resume("AAAAAAAAAAAAAAAA._w", 0), "item-not-found"],
      ["no id", `<resume xmlns="${SM}" h="0"/>`, "bad-request"],
      ["no count", `<resume xmlns="${SM}" previd="AAAAAAAAAAAAAAAA.d2Vi"/>`, "bad-request"],
      ["an invalid count", resume("AAAAAAAAAAAAAAAA.d2Vi", "-1"), "bad-request"],
    ])("%s; the client can then bind on the same stream", async (_name, frame, condition) => {
      const chat = await start();
      const client = await authenticateRaw(chat.url, NAME);
      client.send(frame);
      expect(await client.next()).toBe(failedWith(condition));
      client.send(bind("web"));
      expect(await client.next()).toContain("<jid>42-7@chat.example/web</jid>");
      client.send(ENABLE);
      expect(await client.next()).toContain("<enabled ");
    });

    it.each([
      ["its session or user has ended", "close"],
      ["its web origin is no longer allowed", "refuse"],
    ] as const)("a disconnected stream after %s", async (_name, end) => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web", "token");
      client.send(PING("p"));
      await nextIds(client, 1);
      await breakConnection(chat, client);
      for (const stream of chat.live) stream[end]();
      expect(await disconnectedCount(chat)).toBe(0);
      expect(chat.live.size).toBe(0);
      const { answer } = await resumeStream(chat.url, NAME, client.previd, 1);
      expect(answer).toBe(failedWith("item-not-found", 1));
    });

    it.each([
      ["by its client", '<close xmlns="urn:ietf:params:xml:ns:xmpp-framing"/>'],
      ["with an error", "<message>&x;</message>"],
    ])("a stream that ended %s", async (_name, frame) => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      client.send(frame);
      await client.rest();
      expect(await disconnectedCount(chat)).toBe(0);
      expect(chat.live.size).toBe(0);
      const { answer } = await resumeStream(chat.url, NAME, client.previd, 0);
      expect(answer).toBe(failedWith("item-not-found", 0));
    });

    it("a stream replaced by a new one with its resource", async () => {
      const chat = await start();
      const client = await managedStream(chat.url, NAME, "web");
      await breakConnection(chat, client);
      const fresh = await signInRaw(chat.url, NAME, "web");
      expect(await disconnectedCount(chat)).toBe(0);
      const { answer } = await resumeStream(chat.url, NAME, client.previd, 0);
      expect(answer).toBe(failedWith("item-not-found", 0));
      fresh.send(PING("p"));
      expect(await nextIds(fresh, 1)).toEqual(["p"]);
    });

    it("a stream disconnected for more than 60 s", async () => {
      const clock = new MovingClock();
      const chat = await start({ clock });
      const [early, late] = [
        await managedStream(chat.url, NAME, "early"),
        await managedStream(chat.url, NAME, "late"),
      ];
      await breakConnection(chat, early);
      clock.advance(30_000);
      await breakConnection(chat, late);
      clock.advance(31_000);
      await untilDisconnected(chat, 1);
      const { answer } = await resumeStream(chat.url, NAME, early.previd, 0);
      expect(answer).toBe(failedWith("item-not-found", 0));
      const kept = await resumeStream(chat.url, NAME, late.previd, 0);
      expect(kept.answer).toContain("<resumed ");
    });

    it("the oldest streams above the limit of a user", async () => {
      const chat = await start();
      const ids: string[] = [];
      for (const resource of numbered(11)) {
        const client = await managedStream(chat.url, NAME, resource);
        ids.push(client.previd);
        client.socket.terminate();
        await eventually(
          () => chat.metrics.sockets.get(),
          ({ values }) => values[0]?.value === 0,
        );
      }
      expect(await disconnectedCount(chat)).toBe(10);
      const answers = [];
      for (const previd of ids) {
        const client = await resumeStream(chat.url, NAME, previd, 0);
        answers.push(client.answer.slice(0, 8));
        client.socket.terminate();
      }
      expect(answers).toEqual(["<failed ", ...Array(10).fill("<resumed")]);
    });

    it.each([
      ["streams", 2, 1_000_000],
      ["bytes", 100, 50_000],
    ])("the oldest streams above the limit of %s of a node", async (_name, streams, bytes) => {
      const chat = await start({
        limits: { disconnected: { perUser: 10, total: streams, bytes } },
      });
      const clients = [];
      for (const name of ["44-7", NAME, "43-7"]) {
        const client = await managedStream(chat.url, name, "web");
        clients.push({ name, client });
        client.socket.terminate();
        await eventually(
          () => chat.metrics.sockets.get(),
          ({ values }) => values[0]?.value === 0,
        );
        const [applicationId, userId] = [7, Number(name.slice(0, 2))];
        const long = { ...signal(name), to: { applicationId, userId }, sdp: "x".repeat(20_000) };
        await chat.router.send("graphql", long);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await disconnectedCount(chat)).toBe(2);
      const answers = [];
      for (const { name, client } of clients) {
        const again = await resumeStream(chat.url, name, client.previd, 0);
        answers.push(again.answer.slice(0, 8));
        if (answers.length > 1) expect(await nextIds(again, 1)).toEqual([name]);
      }
      expect(answers).toEqual(["<failed ", "<resumed", "<resumed"]);
    });

    it("a stream with too many unacknowledged stanzas", async () => {
      const chat = await start({ limits: { unacknowledged: { stanzas: 10, bytes: 1_000_000 } } });
      const client = await managedStream(chat.url, NAME, "web");
      await breakConnection(chat, client);
      await sendSignals(chat, ...numbered(11));
      await untilDisconnected(chat, 0);
      expect(chat.live.size).toBe(0);
    });

    it("any stream of a stopped node", async () => {
      const chat = await start();
      const kept = await managedStream(chat.url, NAME, "kept");
      await breakConnection(chat, kept);
      const open = await managedStream(chat.url, NAME, "open");
      const closed = chat.close();
      expect((await open.rest()).frames.join("")).toContain("<system-shutdown ");
      await closed;
      expect(await disconnectedCount(chat)).toBe(0);
      expect(chat.live.size).toBe(0);
    });
  });

  describe("a stream whose node is down", () => {
    /** Two endpoints of one deployment, with a stream on the first. */
    async function startTwo(limits: Parameters<typeof startChat>[0] = {}) {
      const one = await start(limits);
      const two = await start({ ...limits, beside: one });
      return { one, two };
    }

    it("continues on another node: unacknowledged signals arrive when stream management is enabled", async () => {
      const { one, two } = await startTwo({ limits: { enableWaitMs: 600_000 } });
      const client = await managedStream(one.url, NAME, "web");
      await sendSignals(one, "one", "two", "three");
      expect(await nextIds(client, 3)).toEqual(["one", "two", "three"]);
      client.send(ack(1));
      client.send(ACK_REQUEST);
      expect(await nextFrame(client)).toBe(ack(0));
      client.socket.terminate();
      await one.close();
      await sendSignals(two, "four");

      const again = await resumeStream(two.url, NAME, client.previd, 2);
      expect(again.answer).toBe(failedWith("item-not-found"));
      again.send(bind("web"));
      expect(await again.next()).toContain("<jid>42-7@chat.example/web</jid>");
      await sendSignals(two, "five");
      again.send(PING("still"));
      expect(await nextIds(again, 1)).toEqual(["still"]);
      again.send(ENABLE);
      expect(await again.next()).toContain("<enabled ");
      // Unacknowledged signals arrive again, with the same id.
      expect(await nextIds(again, 4)).toEqual(["two", "three", "four", "five"]);
      again.send(ACK_REQUEST);
      expect(await nextFrame(again)).toBe(ack(0));
    });

    it.each([
      ["its previous resource by default", undefined, "web", ["one", "to web", "two"]],
      ["another requested resource", "other", "other", ["one", "two"]],
    ])("continues with %s, after any number of nodes", async (_name, asked, given, ids) => {
      const { one, two } = await startTwo();
      const client = await managedStream(one.url, NAME, "web");
      await sendSignals(one, "one");
      expect(await nextIds(client, 1)).toEqual(["one"]);
      client.socket.terminate();
      await one.close();
      await two.router.send("graphql", { ...signal("to web"), to: { ...to, resource: "web" } });
      const again = await resumeStream(two.url, NAME, client.previd, 1);
      again.send(bind(asked));
      expect(await again.next()).toContain(`<jid>42-7@chat.example/${given}</jid>`);
      again.send(ENABLE);
      const previd = / id="([^"]*)"/.exec(await again.next())?.[1] ?? "";
      await sendSignals(two, "two");
      expect(await nextIds(again, ids.length)).toEqual(ids);
      const three = await start({ beside: two });
      again.socket.terminate();
      const last = await resumeStream(three.url, NAME, previd, 0);
      expect(last.answer).toBe(failedWith("item-not-found"));
      last.send(bind());
      expect(await last.next()).toContain(`<jid>42-7@chat.example/${given}</jid>`);
      last.send(ENABLE);
      await last.next();
      expect(await nextIds(last, ids.length)).toEqual(ids);
    });

    it("gets missed signals after a delay without stream management", async () => {
      const { one, two } = await startTwo({ limits: { enableWaitMs: 50 } });
      const client = await managedStream(one.url, NAME, "web");
      await sendSignals(one, "one");
      client.socket.terminate();
      await one.close();
      const again = await resumeStream(two.url, NAME, client.previd, 0);
      again.send(bind("web"));
      await again.next();
      expect(await nextIds(again, 1)).toEqual(["one"]);
    });

    it("gets many missed signals at the pace of its acknowledgements", async () => {
      const limits = { unacknowledged: { stanzas: 100, bytes: 1_000_000 } };
      const { one, two } = await startTwo({ limits });
      const client = await managedStream(one.url, NAME, "web");
      client.socket.terminate();
      await one.close();
      const ids = numbered(1_000);
      await sendSignals(two, ...ids);
      const again = await resumeStream(two.url, NAME, client.previd, 0);
      expect(await idsAsAcknowledged(again, ids.length)).toEqual(ids);
    });

    it("gets large missed signals at that pace, even one above the limit", async () => {
      const { one, two } = await startTwo({ config: { XMPP_STANZA_LIMIT: 4_194_304 } });
      const client = await managedStream(one.url, NAME, "web");
      client.socket.terminate();
      await one.close();
      const large = (id: string, size: number): Signal => ({
        ...signal(id),
        userInfo: { text: "x".repeat(size) },
      });
      const ids = [...numbered(20), "largest", ...numbered(20, 20)];
      for (const id of ids) {
        await two.router.send("graphql", large(id, id === "largest" ? 2_000_000 : 60_000));
      }
      const again = await resumeStream(two.url, NAME, client.previd, 0);
      expect(await idsAsAcknowledged(again, ids.length)).toEqual(ids);
    });

    it("starts empty if the client does not resume it", async () => {
      const { one, two } = await startTwo();
      const client = await managedStream(one.url, NAME, "web");
      await sendSignals(one, "old");
      client.socket.terminate();
      await one.close();
      const fresh = await signInRaw(two.url, NAME, "web");
      await sendSignals(two, "new");
      expect(await nextIds(fresh, 1)).toEqual(["new"]);
    });
  });

  it("loses nothing and repeats nothing acknowledged, over any sequence of disconnections", async () => {
    const chat = await start({ limits: { ackRequestDelayMs: 5 } });
    const steps = fc.constantFrom("send", "send", "receive", "count", "cut", "take over");
    const runs = fc.sample(fc.array(steps, { minLength: 20, maxLength: 40 }), 10);
    for (const [run, ops] of runs.entries()) {
      const { previd, ...first } = await managedStream(chat.url, NAME, "web");
      let client: RawClient = first;
      const received: string[] = [];
      let [sent, counted] = [0, 0];
      const receive = async () => {
        const [id = ""] = await nextIds(client, 1);
        expect(id).toBe(`r${run} ${received.length}`);
        received.push(id);
      };
      const again = async () => {
        const resumed = await resumeStream(chat.url, NAME, previd, counted);
        expect(resumed.answer).toContain("<resumed ");
        client = resumed;
        // Unacknowledged stanzas arrive again.
        received.length = counted;
      };
      for (const op of ops) {
        if (op === "send") await sendSignals(chat, `r${run} ${sent++}`);
        else if (op === "receive" && received.length < sent) await receive();
        else if (op === "count") {
          counted = received.length;
          client.send(ack(counted));
        } else if (op === "cut") {
          await breakConnection(chat, client);
          await again();
        } else if (op === "take over") await again();
      }
      while (received.length < sent) await receive();
      client.send('<close xmlns="urn:ietf:params:xml:ns:xmpp-framing"/>');
      await client.rest();
    }
    expect(chat.live.size).toBe(0);
  });
});
