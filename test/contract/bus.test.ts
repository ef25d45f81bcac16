import { eventually } from "../../scripts/services/binaries";
import {
  type RedisServer,
  sendCommand,
  startDurableRedis,
  startRedis,
} from "../../scripts/services/redis-server";
import { LAST_CURSOR_TTL_MS, type ManagedBus } from "../../src/platform/bus/adapter";
import {
  INBOX_BYTES_MAX,
  INBOX_ENTRIES_MAX,
  INBOX_TTL_MS,
  PAGE_BYTES_MAX,
  PAGE_ENTRIES_MAX,
} from "../../src/platform/bus/bus";
import { openLocalBus } from "../../src/platform/bus/local";
import { openRedisBus } from "../../src/platform/bus/redis";
import { VALUE_TTL_MS, VALUES_MAX } from "../../src/platform/bus/values";
import { describeEmbedded, describeServices } from "../support/operations/database";
import { sharedGlobal } from "../support/shared-modules/shared-global";
import { ADAPTERS, append, log, readAll } from "./bus-adapters";

/** Keys of an inbox in Redis. */
const STREAM = "signalbox:inbox:{inbox:1}";
const STATE = "signalbox:state:{inbox:1}";

/** A listener that records its messages. */
function recorder() {
  const received: string[] = [];
  const waiting: { count: number; resolve(received: string[]): void }[] = [];
  return {
    received,
    listen: (message: string) => {
      received.push(message);
      for (const { count, resolve } of waiting)
        if (received.length >= count) resolve([...received]);
    },
    until: (count: number) =>
      new Promise<string[]>((resolve) => {
        if (received.length >= count) resolve([...received]);
        else waiting.push({ count, resolve });
      }),
  };
}

describe.each(ADAPTERS)("the $name bus", ({ open }) => {
  let bus: ManagedBus;
  let other: ManagedBus;
  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ bus, other, close } = await open());
  });
  afterEach(() => close());

  test("reports whether an inbox has a subscriber, on any node", async () => {
    expect((await bus.append("inbox:1", "a")).hasSubscribers).toBe(false);
    const stop = await other.subscribe("inbox:1", () => undefined);
    expect((await bus.append("inbox:1", "b")).hasSubscribers).toBe(true);
    expect((await bus.append("inbox:2", "c")).hasSubscribers).toBe(false);
    await stop();
    // Over Redis, stopping does not wait until the subscription has ended.
    await eventually(async () =>
      expect((await bus.append("inbox:1", "d")).hasSubscribers).toBe(false),
    );
  });

  test("tells of many inboxes which have a subscriber, on any node", async () => {
    const inboxes = Array.from({ length: 2_000 }, (_, number) => `inbox:${number}`);
    await bus.subscribe("inbox:7", () => undefined);
    await other.subscribe("inbox:1999", () => undefined);
    for (const node of [bus, other]) {
      const found = await node.haveSubscribers(inboxes);
      expect(found).toHaveLength(inboxes.length);
      expect(inboxes.filter((_, index) => found[index])).toEqual(["inbox:7", "inbox:1999"]);
    }
    expect(await bus.haveSubscribers([])).toEqual([]);
  });

  test("reads entries in order, after a cursor and from the beginning", async () => {
    const first = await append(bus, "inbox:1", "a\r\n\u0000ü😀");
    const second = await append(other, "inbox:1", "b");
    const third = await append(bus, "inbox:1", "");
    expect(await bus.read("inbox:1", "")).toMatchObject({
      entries: [
        { cursor: first, body: "a\r\n\u0000ü😀" },
        { cursor: second, body: "b" },
        { cursor: third, body: "" },
      ],
      complete: true,
    });
    expect(await other.read("inbox:1", second)).toMatchObject({
      entries: [{ cursor: third, body: "" }],
      complete: true,
    });
    expect(await bus.read("inbox:1", third)).toMatchObject({ entries: [], complete: true });
  });

  test("keeps inboxes apart", async () => {
    const cursor = await append(bus, "inbox:1", "a");
    await append(bus, "inbox:2", "b");
    expect((await bus.read("inbox:2", "")).entries.map((entry) => entry.body)).toEqual(["b"]);
    expect(await bus.read("inbox:1", cursor)).toMatchObject({ entries: [], complete: true });
    expect(await bus.read("inbox:3", "")).toMatchObject({ entries: [], complete: true });
  });

  test("returns a long inbox in pages without gaps", async () => {
    const first = await append(bus, "inbox:1", "first");
    const bodies = Array.from({ length: PAGE_ENTRIES_MAX + 20 }, (_, index) => `body ${index}`);
    await Promise.all(bodies.map((body) => append(bus, "inbox:1", body)));
    const page = await bus.read("inbox:1", first);
    expect(page.entries).toHaveLength(PAGE_ENTRIES_MAX);
    const rest = await bus.read("inbox:1", page.entries.at(-1)?.cursor ?? "");
    expect(rest.complete).toBe(true);
    expect([...page.entries, ...rest.entries].map((entry) => entry.body)).toEqual(bodies);
  });

  test("limits the size of pages of long bodies", async () => {
    const first = await append(bus, "inbox:1", "first");
    const half = "ü".repeat(PAGE_BYTES_MAX / 4);
    const bodies = [half, half, "1", "x".repeat(PAGE_BYTES_MAX + 1), "2"];
    for (const body of bodies) await append(bus, "inbox:1", body);
    const pages: string[][] = [];
    for (let after = first, more = true; more; ) {
      const page = await other.read("inbox:1", after);
      expect(page.complete).toBe(true);
      pages.push(page.entries.map(({ body }) => body));
      after = page.entries.at(-1)?.cursor ?? "";
      more = page.more;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 1, 1, 1]);
    expect(pages.flat()).toEqual(bodies);
  });

  test("returns the last cursor to a read from the beginning", async () => {
    const [, last] = [await append(bus, "inbox:1", "1"), await append(bus, "inbox:1", "2")];
    expect((await other.read("inbox:1", "")).lastCursor).toBe(last);
    await append(bus, "inbox:1", "3");
    expect(await other.read("inbox:1", last)).toMatchObject({
      entries: [{ body: "3" }],
      complete: true,
    });
  });

  test("evicts the oldest entries of a full inbox, and reports the gap to readers before them", async () => {
    const first = await append(bus, "inbox:1", "0");
    const second = await append(bus, "inbox:1", "1");
    const appended = Array.from({ length: INBOX_ENTRIES_MAX }, (_, index) =>
      append(bus, "inbox:1", String(index + 2)),
    );
    await Promise.all(appended);
    expect(await bus.read("inbox:1", first)).toMatchObject({ complete: false });
    const page = await bus.read("inbox:1", second);
    expect(page.complete).toBe(true);
    expect(page.entries[0]?.body).toBe("2");
    const all = await bus.read("inbox:1", "");
    expect(all.entries[0]?.body).toBe("2");
    expect(all.complete).toBe(true);
  });

  test("evicts the oldest entries of an inbox with too many bytes, and reports the gap to readers before them", async () => {
    // Counted in UTF-8, not in characters: each is slightly less than a third of the limit.
    const third = "ü".repeat(Math.floor(INBOX_BYTES_MAX / 6));
    const before = await append(bus, "inbox:1", "before");
    const first = await append(bus, "inbox:1", third);
    await append(bus, "inbox:1", third);
    const small = INBOX_BYTES_MAX - 2 * Buffer.byteLength(third);
    await append(bus, "inbox:1", "x".repeat(small));
    expect((await bus.read("inbox:1", before)).complete).toBe(true);
    await append(other, "inbox:1", "y");
    expect(await bus.read("inbox:1", before)).toMatchObject({ complete: false });
    const page = await readAll(bus, "inbox:1", first);
    expect(page.complete).toBe(true);
    expect(page.entries.map(({ body }) => body.length)).toEqual([third.length, small, 1]);
    expect((await readAll(bus, "inbox:1", "")).entries).toHaveLength(3);
    // The last one is kept, whatever its size.
    const huge = await append(bus, "inbox:1", "z".repeat(INBOX_BYTES_MAX + 1));
    expect((await bus.read("inbox:1", "")).entries.map(({ cursor }) => cursor)).toEqual([huge]);
    const last = await append(bus, "inbox:1", "last");
    await append(bus, "inbox:1", "one more");
    expect(await bus.read("inbox:1", huge)).toMatchObject({
      entries: [{ body: "last" }, { body: "one more" }],
      complete: true,
    });
    expect((await bus.read("inbox:1", "")).entries[0]?.cursor).toBe(last);
    expect((await bus.read("inbox:2", "")).entries).toEqual([]);
  });

  test("does not count the bytes of removed entries", async () => {
    const tenth = "x".repeat(Math.floor(INBOX_BYTES_MAX / 10));
    const cursors: string[] = [];
    for (let n = 0; n < 35; n++) cursors.push(await append(bus, "inbox:1", tenth));
    const page = await readAll(bus, "inbox:1", "");
    expect(page.entries.map(({ cursor }) => cursor)).toEqual(cursors.slice(-10));
    expect(await bus.read("inbox:1", cursors.at(-11) ?? "")).toMatchObject({ complete: true });
    expect(await bus.read("inbox:1", cursors.at(-12) ?? "")).toMatchObject({ complete: false });
  });

  test("recognizes a cursor of another bus and returns all entries", async () => {
    await append(bus, "inbox:1", "a");
    const foreign = openLocalBus({ now: () => 1 }, log);
    const cursor = await append(foreign, "inbox:1", "b");
    for (const after of [cursor, "0", "nonsense", "99999999999999-0", "-", "1-2-3"]) {
      const page = await bus.read("inbox:1", after);
      expect(page).toMatchObject({ complete: false });
      expect(page.entries.map((entry) => entry.body)).toEqual(["a"]);
    }
  });

  test("an append publishes its cursor once the entry can be read", async () => {
    const { listen, until } = recorder();
    await other.subscribe("inbox:1", listen);
    const cursor = await append(bus, "inbox:1", "a");
    await append(bus, "inbox:2", "not delivered");
    const second = await append(bus, "inbox:1", "b");
    expect(await until(2)).toEqual([cursor, second]);
    expect((await other.read("inbox:1", "")).entries).toHaveLength(2);
  });

  test("a notice reaches every listener of its channel on every node, and no other", async () => {
    const recorders = [recorder(), recorder(), recorder()] as const;
    await bus.subscribe("channel", recorders[0].listen);
    await bus.subscribe("channel", recorders[0].listen);
    await other.subscribe("channel", recorders[1].listen);
    await other.subscribe("channel-2", recorders[2].listen);
    await other.publish("channel", "one");
    await other.publish("channel", "two");
    await other.publish("channel-2", "last");
    expect((await recorders[0].until(4)).sort()).toEqual(["one", "one", "two", "two"]);
    expect(await recorders[1].until(2)).toEqual(["one", "two"]);
    expect(await recorders[2].until(1)).toEqual(["last"]);
  });

  test("a removed listener receives nothing more, while others of the channel do", async () => {
    const [stopped, kept] = [recorder(), recorder()];
    const stop = await bus.subscribe("channel", stopped.listen);
    const stopKept = await bus.subscribe("channel", kept.listen);
    await stop();
    await stop();
    await bus.publish("channel", "one");
    expect(await kept.until(1)).toEqual(["one"]);
    await stopKept();
    const again = recorder();
    await bus.subscribe("channel", again.listen);
    await bus.publish("channel", "two");
    expect(await again.until(1)).toEqual(["two"]);
    expect(stopped.received).toEqual([]);
    expect(kept.received).toEqual(["one"]);
  });

  test("rapid subscribe and unsubscribe calls end in the last requested state", async () => {
    const { listen, until } = recorder();
    const stops = Array.from({ length: 20 }, async () => {
      const stop = await bus.subscribe("channel", () => {});
      await stop();
    });
    const listening = bus.subscribe("channel", listen);
    await Promise.all([...stops, listening]);
    await other.publish("channel", "delivered");
    expect(await until(1)).toEqual(["delivered"]);
  });

  test("a listener that throws does not affect the others", async () => {
    const { listen, until } = recorder();
    await bus.subscribe("channel", () => {
      throw new Error("listener");
    });
    await bus.subscribe("channel", listen);
    await bus.publish("channel", "one");
    expect(await until(1)).toEqual(["one"]);
  });

  test("keeps values under keys for all nodes", async () => {
    await bus.values.set("a", "1");
    expect([await other.values.get("a"), await other.values.get("b")]).toEqual(["1", undefined]);
    await other.values.set("a", "2");
    expect(await bus.values.get("a")).toBe("2");
    await other.values.deleteIf("a", "1");
    expect(await bus.values.get("a")).toBe("2");
    await other.values.deleteIf("a", "2");
    expect(await bus.values.get("a")).toBeUndefined();
  });

  test("of concurrent calls that set an absent value, the first one wins", async () => {
    const nodes = Array.from({ length: 20 }, (_, n) => (n % 2 ? bus : other));
    const before = await Promise.all(
      nodes.map((node, n) => node.values.setIfAbsent("holder", `device ${n}`)),
    );
    const winners = before.flatMap((existing, n) => (existing === undefined ? [n] : []));
    expect(winners).toHaveLength(1);
    const holder = `device ${winners[0]}`;
    expect(new Set(before)).toEqual(new Set([undefined, holder]));
    await bus.values.deleteIf("holder", holder);
    expect(await other.values.setIfAbsent("holder", "next")).toBeUndefined();
  });

  test("passes its check until it is closed, then throws UNAVAILABLE", async () => {
    await bus.check();
    await bus.close();
    for (const attempt of [
      () => bus.check(),
      () => append(bus, "inbox:1", "a"),
      () => bus.read("inbox:1", ""),
      () => bus.publish("channel", "a"),
      () => bus.subscribe("channel", () => {}),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
  });
});

describeEmbedded("the local bus in time", () => {
  let now = 1_000_000;
  let bus: ManagedBus;

  beforeEach(() => {
    now = 1_000_000;
    bus = openLocalBus({ now: () => now }, log);
  });

  test("removes expired entries, and reports the gap to readers that missed them", async () => {
    const first = await append(bus, "inbox:1", "a");
    now += INBOX_TTL_MS / 2;
    const second = await append(bus, "inbox:1", "b");
    now += INBOX_TTL_MS / 2 + 1;
    expect(await bus.read("inbox:1", "")).toMatchObject({ entries: [{ body: "b" }] });
    expect(await bus.read("inbox:1", first)).toMatchObject({ complete: true });
    now += INBOX_TTL_MS;
    expect(await bus.read("inbox:1", first)).toMatchObject({ entries: [], complete: false });
    expect(await bus.read("inbox:1", second)).toMatchObject({ entries: [], complete: true });
  });

  test("a reader that was idle for hours can verify that it missed nothing", async () => {
    const cursor = await append(bus, "inbox:1", "a");
    now += 20 * 3_600_000;
    for (let user = 2; user < 50; user++) await append(bus, `inbox:${user}`, "b");
    expect(await bus.read("inbox:1", cursor)).toMatchObject({ entries: [], complete: true });
    await append(bus, "inbox:1", "c");
    expect(await bus.read("inbox:1", cursor)).toMatchObject({
      entries: [{ body: "c" }],
      complete: true,
    });
  });

  test("a subscriber never sees a false gap, however long the inbox is empty", async () => {
    const cursor = await append(bus, "inbox:1", "a");
    const stops = [
      await bus.subscribe("inbox:1", () => undefined),
      await bus.subscribe("inbox:2", () => undefined),
    ];
    const { lastCursor } = await bus.read("inbox:2", "");
    for (let day = 0; day < 4; day++) {
      now += 25 * 3_600_000;
      await append(bus, "inbox:3", "b");
    }
    await append(bus, "inbox:1", "c");
    await append(bus, "inbox:2", "d");
    const page = { entries: [{ body: "c" }], complete: true };
    expect(await bus.read("inbox:1", cursor)).toMatchObject(page);
    expect((await bus.read("inbox:2", lastCursor)).complete).toBe(true);
    for (const stop of stops) await stop();
    for (let day = 0; day < 4; day++) {
      now += 25 * 3_600_000;
      await append(bus, "inbox:3", "b");
    }
    expect((await bus.read("inbox:1", cursor)).complete).toBe(false);
  });

  test("values expire, and the oldest are evicted beyond a limit", async () => {
    await bus.values.set("a", "1");
    await bus.values.setIfAbsent("b", "1");
    now += VALUE_TTL_MS;
    await bus.values.set("a", "2");
    expect(await bus.values.get("b")).toBe("1");
    now += 1;
    expect([await bus.values.get("a"), await bus.values.get("b")]).toEqual(["2", undefined]);
    expect(await bus.values.setIfAbsent("b", "3")).toBeUndefined();
    for (let n = 0; n < VALUES_MAX - 1; n++) await bus.values.set(`other ${n}`, "");
    expect([await bus.values.get("a"), await bus.values.get("b")]).toEqual([undefined, "3"]);
  });

  test("a cursor that is days old is not complete once newer entries exist", async () => {
    const cursor = await append(bus, "inbox:1", "a");
    now += 3_600_000;
    await append(bus, "inbox:2", "b");
    now += 48 * 3_600_000;
    await append(bus, "inbox:3", "c");
    now += 48 * 3_600_000;
    await append(bus, "inbox:3", "d");
    expect(await bus.read("inbox:1", cursor)).toMatchObject({ entries: [], complete: false });
  });
});

describeServices("the redis bus during an outage", () => {
  let server: RedisServer;
  let bus: ManagedBus;

  beforeEach(async () => {
    server = await startRedis();
    bus = await openRedisBus(server.url, log);
  });
  afterEach(async () => {
    await bus.close();
    await server.stop();
  });
  /** The remaining TTL of a key, in milliseconds. */
  const ttlOf = async (key: string) =>
    Number((await sendCommand(server.port, `PTTL ${key}`)).slice(1));

  test("throws UNAVAILABLE while Redis is down, and recovers afterwards", async () => {
    const { received, listen } = recorder();
    await bus.subscribe("channel", listen);
    const lost = await append(bus, "inbox:1", "lost with the server");
    await server.stop("SIGKILL");
    for (const attempt of [
      append(bus, "inbox:1", "never"),
      bus.read("inbox:1", ""),
      bus.check(),
      bus.publish("channel", "never"),
      bus.subscribe("elsewhere", listen),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
    server = await startRedis(server.port);
    await eventually(() => bus.check());
    await eventually(async () => expect(received).toEqual([""]));
    await bus.publish("channel", "back");
    await eventually(async () => expect(received).toEqual(["", "back"]));
    // The server has lost its data, so entries after the cursor are unknown.
    expect(await bus.read("inbox:1", lost)).toMatchObject({ entries: [], complete: false });
    await append(bus, "inbox:1", "new");
    expect(await bus.read("inbox:1", lost)).toMatchObject({
      entries: [{ body: "new" }],
      complete: false,
    });
  });

  test("reconnects after a lost connection, and signals to listeners that notices may be missing", async () => {
    const { received, listen } = recorder();
    await bus.subscribe("channel", listen);
    await sendCommand(server.port, "CLIENT KILL TYPE pubsub");
    await eventually(async () => expect(received).toEqual([""]));
    await bus.publish("channel", "delivered");
    await eventually(async () => expect(received).toEqual(["", "delivered"]));
  });

  test("a server with an append-only file loses no entry, and its nodes recover", async () => {
    const durable = await startDurableRedis();
    const [here, there] = await Promise.all([
      openRedisBus(durable.url, log),
      openRedisBus(durable.url, log),
    ]);
    try {
      const { received, listen } = recorder();
      await there.subscribe("inbox:1", listen);
      const first = await append(here, "inbox:1", "1");
      const bodies = Array.from({ length: 50 }, (_, index) => String(index + 2));
      // Appends may fail while the server dies; the successful ones must be there afterwards.
      const answers = bodies.map((body) => here.append("inbox:1", body).then(() => body));
      await answers[20];
      await durable.restart("SIGKILL");
      const kept = (await Promise.allSettled(answers)).flatMap((answer) =>
        answer.status === "fulfilled" ? [answer.value] : [],
      );
      expect(kept.length).toBeGreaterThan(20);
      await eventually(() => there.check());
      await eventually(async () => expect(received).toContain(""));
      const page = await there.read("inbox:1", first);
      expect(page.complete).toBe(true);
      expect(page.entries.map(({ body }) => body)).toEqual(expect.arrayContaining(kept));
      const next = await eventually(() => append(here, "inbox:1", "next"));
      await eventually(async () => expect(received).toContain(next));
    } finally {
      await Promise.all([here.close(), there.close()]);
      await durable.stop();
    }
  });

  test("an expired inbox leaves no body behind, and its cursors remain valid", async () => {
    const first = await append(bus, "inbox:1", "a");
    const second = await append(bus, "inbox:1", "b");
    expect(await ttlOf(STREAM)).toBeGreaterThan(0);
    // Simulates the TTL of the keys after a minute.
    await sendCommand(server.port, `DEL ${STREAM}`);
    expect(await bus.read("inbox:1", second)).toMatchObject({ entries: [], complete: true });
    expect(await bus.read("inbox:1", first)).toMatchObject({ entries: [], complete: false });
    await append(bus, "inbox:1", "c");
    expect(await bus.read("inbox:1", second)).toMatchObject({
      entries: [{ body: "c" }],
      complete: true,
    });
    expect(await bus.read("inbox:1", first)).toMatchObject({
      entries: [{ body: "c" }],
      complete: false,
    });
  });

  test("expired entries are not returned even before they are removed", async () => {
    await sendCommand(server.port, `XADD ${STREAM} 1000-0 p 0-1 b old`);
    await sendCommand(server.port, `SET ${STATE} 1000-0`);
    expect(await bus.read("inbox:1", "")).toMatchObject({ entries: [], complete: true });
    expect(await bus.read("inbox:1", "0-1")).toMatchObject({ entries: [], complete: false });
    await append(bus, "inbox:1", "new");
    expect(await sendCommand(server.port, `XLEN ${STREAM}`)).toBe(":1");
    expect(await bus.read("inbox:1", "1000-0")).toMatchObject({ complete: true });
  });

  test("cursors grow even when the server's clock goes back", async () => {
    const future = "99999999999999-7";
    await sendCommand(server.port, `SET ${STATE} ${future}`);
    expect(await append(bus, "inbox:1", "a")).toBe("99999999999999-8");
    expect(await bus.read("inbox:1", future)).toMatchObject({
      entries: [{ body: "a" }],
      complete: true,
    });
  });

  test("without its state no earlier cursor of an inbox is complete", async () => {
    const seen = await append(bus, "inbox:1", "a");
    await sendCommand(server.port, `DEL ${STREAM} ${STATE}`);
    expect((await bus.read("inbox:1", seen)).complete).toBe(false);
    // Within one millisecond the server would give the new entry the same id again.
    while (Date.now() <= Number(seen.split("-")[0])) await new Promise(setImmediate);
    const next = await append(bus, "inbox:1", "b");
    expect((await bus.read("inbox:1", seen)).complete).toBe(false);
    expect((await bus.read("inbox:1", next)).complete).toBe(true);
  });

  test("the last cursors of subscribers are kept while they are subscribed", async () => {
    const timers = jest.spyOn(sharedGlobal, "setInterval");
    const listening = await openRedisBus(server.url, log);
    try {
      await listening.subscribe("inbox:1", () => undefined);
      await append(listening, "inbox:1", "a");
      await sendCommand(server.port, `PEXPIRE ${STATE} 60000`);
      const seldom = timers.mock.calls.filter(([, ms]) => ms === LAST_CURSOR_TTL_MS / 4);
      for (const [extend] of seldom) extend();
      await eventually(async () => expect(await ttlOf(STATE)).toBeGreaterThan(3_600_000));
    } finally {
      timers.mockRestore();
      await listening.close();
    }
  });

  test("values have a TTL", async () => {
    await bus.values.set("a", "1");
    await bus.values.setIfAbsent("b", "1");
    for (const key of ["a", "b"]) {
      const ttl = await ttlOf(`signalbox:value:${key}`);
      expect(ttl).toBeGreaterThan(VALUE_TTL_MS / 2);
      expect(ttl).toBeLessThanOrEqual(VALUE_TTL_MS);
    }
  });

  test("two deployments in separate databases of one server are isolated", async () => {
    const neighbour = await openRedisBus(`${server.url}/1`, log);
    const [here, there] = [recorder(), recorder()];
    await bus.subscribe("channel", here.listen);
    await neighbour.subscribe("channel", there.listen);
    await bus.publish("channel", "here");
    await neighbour.publish("channel", "there");
    await append(bus, "inbox:1", "here");
    expect(await here.until(1)).toEqual(["here"]);
    expect(await there.until(1)).toEqual(["there"]);
    expect(await neighbour.read("inbox:1", "")).toMatchObject({ entries: [], complete: true });
    await neighbour.close();
  });
});
