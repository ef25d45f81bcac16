import { type RedisServer, sendCommand, startRedis } from "../../scripts/services/redis-server";
import type { ManagedBus } from "../../src/platform/bus/adapter";
import {
  ENTRY_OVERHEAD_BYTES,
  INBOX_BYTES_MAX,
  INBOX_ENTRIES_MAX,
  INBOX_OVERHEAD_BYTES,
  INBOX_TTL_MS,
} from "../../src/platform/bus/bus";
import { openLocalBus } from "../../src/platform/bus/local";
import { openRedisBus } from "../../src/platform/bus/redis";
import { describeServices } from "../support/operations/database";
import { ADAPTERS, log, readAll } from "./bus-adapters";

const INBOX = "inbox:1";
/** With bodies of this length the limit of bytes is reached before that of entries. */
const LARGE = Math.floor(INBOX_BYTES_MAX / 40);

/** An entry of the model inbox. */
interface Entry {
  name: string;
  sender: string;
  highPriority: boolean;
  size: number;
}

/** A deterministic pseudo-random number generator. */
function randomFrom(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

async function send(bus: ManagedBus, { name, sender, highPriority, size }: Entry): Promise<string> {
  const body = name.padEnd(size, ".");
  return (await bus.append(INBOX, body, { sender, highPriority })).cursor;
}

const call = (sender: string, name: string, size = 100): Entry => ({
  ...{ sender, name, size },
  highPriority: true,
});
const lowPriority = (sender: string, name: string, size = 100): Entry => ({
  ...{ sender, name, size },
  highPriority: false,
});

/** The names of the inbox's entries. */
async function names(bus: ManagedBus): Promise<string[]> {
  const { entries } = await readAll(bus, INBOX, "");
  return entries.map(({ body }) => body.replaceAll(".", ""));
}

const total = (entries: Entry[]) => entries.reduce((sum, { size }) => sum + size, 0);

/** The eviction rule in its simplest form: the largest share makes room. Returns the new entries. */
function afterAppend(before: Entry[], entry: Entry): Entry[] {
  let kept = [...before, entry];
  while (kept.length > 1 && total(kept) > INBOX_BYTES_MAX) {
    const held = (sender: string) => total(kept.filter((each) => each.sender === sender));
    const others = [...new Set(kept.map(({ sender }) => sender))];
    const most = Math.max(...others.map(held));
    const who =
      held(entry.sender) === most ? entry.sender : others.find((each) => held(each) === most);
    const own = kept.filter(({ sender }) => sender === who);
    const going = own.find(({ highPriority }) => !highPriority) ?? own[0];
    kept = kept.filter((each) => each !== going);
    if (going === entry) break;
  }
  return kept;
}

describe.each(ADAPTERS)("shares of an inbox of the $name bus", ({ open }) => {
  let bus: ManagedBus;
  let other: ManagedBus;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ bus, other, close } = await open());
  });
  afterEach(() => close());

  test.each([
    ["entries", INBOX_ENTRIES_MAX + 500, 100],
    ["bytes", 60, LARGE],
  ])("too many %s of one sender evict nothing of others", async (_what, count, size) => {
    await send(bus, call("honest", "call 1"));
    await send(bus, lowPriority("honest", "candidate"));
    for (let at = 0; at < count; at += 50) {
      const batch = Array.from({ length: Math.min(50, count - at) }, (_, n) =>
        send(other, call("hostile", `noise ${at + n}`, size)),
      );
      await Promise.all(batch);
    }
    await send(bus, call("late", "call 2"));
    const kept = await names(bus);
    expect(kept.slice(0, 2)).toEqual(["call 1", "candidate"]);
    expect(kept.at(-1)).toBe("call 2");
    expect(kept.length).toBeLessThanOrEqual(INBOX_ENTRIES_MAX);
    expect(kept.at(-2)).toBe(`noise ${count - 1}`);
  });

  test("the oldest entries of a sender are evicted first, and those with high priority last", async () => {
    await send(bus, call("a", "call", LARGE));
    for (let n = 0; n < 45; n++) await send(bus, lowPriority("a", `candidate ${n}`, LARGE));
    const kept = await names(bus);
    expect(kept).toHaveLength(40);
    expect(kept.slice(0, 2)).toEqual(["call", "candidate 6"]);
    for (let n = 0; n < 45; n++) await send(bus, call("a", `call ${n}`, LARGE));
    expect((await names(bus))[0]).toBe("call 5");
    // Low-priority entries never evict high-priority ones.
    await expect(send(bus, lowPriority("a", "candidate", LARGE))).rejects.toMatchObject({
      code: "LIMITED",
      retryAfter: expect.any(Number),
    });
    expect((await names(bus)).at(-1)).toBe("call 44");
  });

  test.each([1, 2])("the largest share makes room, in any order of appends (%i)", async (seed) => {
    const roll = randomFrom(seed);
    let model: Entry[] = [];
    for (let n = 0; n < 150; n++) {
      const size = Math.floor(INBOX_BYTES_MAX / (4 + roll(60)));
      const sender = `s${Math.min(roll(6), roll(6))}`;
      const entry: Entry = { name: `entry ${n}`, sender, highPriority: roll(3) === 0, size };
      const next = afterAppend(model, entry);
      const sent = send(n % 2 === 0 ? bus : other, entry);
      if (next.includes(entry)) await sent;
      else await expect(sent).rejects.toMatchObject({ code: "LIMITED" });
      model = next;
      if (n % 50 === 49) expect(await names(bus)).toEqual(model.map(({ name }) => name));
    }
  });

  test("with equal shares a new sender is refused and nothing is evicted", async () => {
    for (let at = 0; at < INBOX_ENTRIES_MAX; at += 50) {
      const batch = Array.from({ length: 50 }, (_, n) =>
        send(bus, call(`s${at + n}`, `${at + n}`)),
      );
      await Promise.all(batch);
    }
    const before = await names(bus);
    expect(before).toHaveLength(INBOX_ENTRIES_MAX);
    await expect(send(other, call("newcomer", "x"))).rejects.toMatchObject({ code: "LIMITED" });
    await expect(send(bus, lowPriority("s5", "x"))).rejects.toMatchObject({ code: "LIMITED" });
    expect(await names(other)).toEqual(before);
    // A sender that repeats itself evicts its own entries.
    await send(bus, call("s5", "again"));
    expect(await names(other)).toEqual([...before.filter((name) => name !== "5"), "again"]);
  });

  test("readers detect evictions between remaining entries", async () => {
    const first = await send(bus, call("honest", "call"));
    const cursors: string[] = [];
    for (let n = 0; n < 42; n++) {
      cursors.push(await send(bus, call("hostile", `flood ${n}`, LARGE)));
    }
    const complete = async (after = "") => (await other.read(INBOX, after)).complete;
    // The first three entries of the flood are gone; the gap ends after the third.
    expect((await names(bus)).slice(0, 2)).toEqual(["call", "flood 3"]);
    const results = await Promise.all([first, ...cursors.slice(0, 4)].map(complete));
    expect(results).toEqual([false, false, false, true, true]);
  });

  test("a read from the beginning reports the eviction of high-priority entries", async () => {
    for (let n = 0; n < 45; n++) await send(bus, lowPriority("a", `candidate ${n}`, LARGE));
    expect((await bus.read(INBOX, "")).priorityEvicted).toBe(false);
    for (let n = 0; n < 45; n++) await send(bus, call("b", `call ${n}`, LARGE));
    expect((await other.read(INBOX, "")).priorityEvicted).toBe(true);
    expect((await other.read("inbox:2", "")).priorityEvicted).toBe(false);
  });
});

describe("expiry of shares of the local bus", () => {
  test("shares and the report of evictions expire with the entries", async () => {
    let now = 1_000_000;
    const bus = openLocalBus({ now: () => now }, log);
    for (let n = 0; n < 45; n++) await send(bus, call("a", `call ${n}`, LARGE));
    expect((await bus.read(INBOX, "")).priorityEvicted).toBe(true);
    now += INBOX_TTL_MS + 1;
    for (let n = 0; n < 20; n++) await send(bus, call("b", `call ${n}`, LARGE));
    expect((await bus.read(INBOX, "")).priorityEvicted).toBe(false);
    for (let n = 0; n < 20; n++) await send(bus, call("a", `last ${n}`, LARGE));
    expect(await names(bus)).toHaveLength(40);
  });

  test("all inboxes together are bounded, and expired entries free space", async () => {
    let now = 1_000_000;
    const bus = openLocalBus(
      { now: () => now },
      log,
      10 * (LARGE + ENTRY_OVERHEAD_BYTES + INBOX_OVERHEAD_BYTES),
    );
    const fill = (inbox: string) => bus.append(inbox, ".".repeat(LARGE));
    for (let n = 0; n < 10; n++) {
      expect((await fill(`inbox:${n}`)).usage).toBeCloseTo((n + 1) / 10);
    }
    await expect(fill("inbox:11")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      retryAfter: expect.any(Number),
    });
    expect((await bus.read("inbox:0", "")).entries).toHaveLength(1);
    now += INBOX_TTL_MS + 1;
    expect((await fill("inbox:11")).usage).toBeCloseTo(0.1);
    await bus.close();
  });
});

describeServices("expiry of shares of the redis bus", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(() => sendCommand(server.port, "FLUSHALL"));
  afterAll(() => server.stop());
  const number = async (command: string) =>
    Number((await sendCommand(server.port, command)).slice(1));

  test("shares expire with the entries", async () => {
    const bus = await openRedisBus(server.url, log);
    try {
      await send(bus, call("a", "call"));
      // Simulates entries that are a minute old.
      await sendCommand(server.port, `DEL signalbox:inbox:{${INBOX}}`);
      const old = "p 0-1 b old s a r 1";
      await sendCommand(server.port, `XADD signalbox:inbox:{${INBOX}} 1000-7 ${old}`);
      await sendCommand(server.port, `ZADD signalbox:order:{${INBOX}} 0 "a 1 1000-000007"`);
      await sendCommand(server.port, `ZADD signalbox:shares:{${INBOX}} 1000 ba -500 na`);
      await send(bus, call("b", "call 2"));
      expect(await names(bus)).toEqual(["call 2"]);
      // The entry that the server lost, and the new one.
      expect(await number(`ZCARD signalbox:order:{${INBOX}}`)).toBe(2);
      for (const key of ["order", "shares"]) {
        const left = await number(`PTTL signalbox:${key}:{${INBOX}}`);
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(INBOX_TTL_MS);
      }
      await sendCommand(server.port, `DEL signalbox:inbox:{${INBOX}}`);
      await send(bus, call("b", "call 3"));
      expect(await number(`ZCARD signalbox:order:{${INBOX}}`)).toBe(1);
      expect(await number(`ZCARD signalbox:shares:{${INBOX}}`)).toBe(2);
    } finally {
      await bus.close();
    }
  });

  test("all inboxes together are bounded for all nodes, and expired entries free space", async () => {
    const most = 10 * (LARGE + ENTRY_OVERHEAD_BYTES + INBOX_OVERHEAD_BYTES);
    const [here, there] = await Promise.all([
      openRedisBus(server.url, log, most),
      openRedisBus(server.url, log, most),
    ]);
    const fill = (bus: ManagedBus, inbox: string) => bus.append(inbox, ".".repeat(LARGE));
    try {
      for (let n = 0; n < 10; n++) {
        const { usage } = await fill(n % 2 === 0 ? here : there, `inbox:${n}`);
        expect(usage).toBeCloseTo((n + 1) / 10);
      }
      for (const bus of [here, there]) {
        await expect(fill(bus, "inbox:11")).rejects.toMatchObject({ code: "UNAVAILABLE" });
      }
      expect((await here.read("inbox:0", "")).entries).toHaveLength(1);
      // Simulates that the current slice of ten seconds is two minutes old.
      const [, , slice = ""] = (await sendCommand(server.port, "HGETALL signalbox:sizes")).split(
        "\r\n",
      );
      await sendCommand(server.port, "DEL signalbox:sizes");
      await sendCommand(server.port, `HSET signalbox:sizes ${Number(slice) - 12} ${most}`);
      expect((await fill(there, "inbox:11")).usage).toBeCloseTo(0.1);
      expect(await number("HLEN signalbox:sizes")).toBe(1);
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
  });
});
