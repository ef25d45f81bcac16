import { eventually } from "../../scripts/services/binaries";
import { type RedisServer, sendCommand, startRedis } from "../../scripts/services/redis-server";
import { LAST_CURSOR_TTL_MS, type ManagedBus } from "../../src/bus/adapter";
import {
  DEFAULT_PARTITION,
  INBOX_BYTES_MAX,
  INBOX_PARTITIONS_MAX,
  INBOX_TTL_MS,
  PAGE_ENTRIES_MAX,
  UNTRACKED,
} from "../../src/bus/bus";
import { openLocalBus } from "../../src/bus/local";
import { openRedisBus } from "../../src/bus/redis";
import { describeEmbedded, describeServices } from "../support/operations/database";
import { ADAPTERS, log, readAll } from "./bus-adapters";

const PARTITIONS = [DEFAULT_PARTITION, "to:a", "to:b", "answers"];

/** An appended entry. */
interface Sent {
  cursor: string;
  partition: string;
}

async function append(
  bus: ManagedBus,
  partition: string,
  body = "x",
  inbox = "inbox:1",
): Promise<Sent> {
  return { cursor: (await bus.append(inbox, body, partition)).cursor, partition };
}

/** Whether a read after an entry is complete for some partitions. */
async function isComplete(
  bus: ManagedBus,
  { cursor }: Sent,
  ...partitions: string[]
): Promise<boolean> {
  return (await bus.read("inbox:1", cursor, partitions)).complete;
}

/** Compares `complete` for readers of any partitions with the entries that are actually gone. */
async function expectAccurate(bus: ManagedBus, sent: Sent[]): Promise<void> {
  const { entries } = await readAll(bus, "inbox:1", "");
  const first = sent.findIndex(({ cursor }) => cursor === entries[0]?.cursor);
  const gone = first < 0 ? sent.length : first;
  const choices = [
    ["to:a"],
    [DEFAULT_PARTITION, "to:b"],
    [DEFAULT_PARTITION, "answers", "to:none"],
    ["to:none"],
  ];
  for (const [place, from] of sent.entries()) {
    const missed = sent.slice(place + 1, gone);
    const actual = await Promise.all(
      [...choices, PARTITIONS].map(async (partitions) => [
        partitions,
        await isComplete(bus, from, ...partitions),
      ]),
    );
    expect([place, ...actual]).toEqual([
      place,
      ...[...choices, PARTITIONS].map((partitions) => [
        partitions,
        !missed.some(({ partition }) => partitions.includes(partition)),
      ]),
    ]);
  }
}

/** A deterministic pseudo-random number generator. */
function randomFrom(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

describe.each(ADAPTERS)("partitions of the $name bus", ({ open }) => {
  let bus: ManagedBus;
  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ bus, close } = await open());
  });
  afterEach(() => close());

  test.each([1, 2])("report only gaps that concern the reader (%i)", async (seed) => {
    const roll = randomFrom(seed);
    const sent: Sent[] = [];
    for (let count = 0; count < 40; count++) {
      const size = roll(3) === 0 ? Math.floor(INBOX_BYTES_MAX / 6) : 10;
      sent.push(
        await append(
          bus,
          PARTITIONS[roll(PARTITIONS.length)] ?? DEFAULT_PARTITION,
          "x".repeat(size),
        ),
      );
      if (count === 20) await expectAccurate(bus, sent);
    }
    await expectAccurate(bus, sent);
  });

  test("are checked by their first entry, however many other entries precede it", async () => {
    const [mine, toA] = [await append(bus, DEFAULT_PARTITION), await append(bus, "to:a")];
    await append(bus, "answers", "x".repeat(INBOX_BYTES_MAX - PAGE_ENTRIES_MAX));
    const others = Array.from({ length: 2 * PAGE_ENTRIES_MAX }, () => append(bus, "to:b"));
    await Promise.all(others);
    const last = await append(bus, DEFAULT_PARTITION);
    expect(await isComplete(bus, mine, DEFAULT_PARTITION, "to:b")).toBe(true);
    expect(await isComplete(bus, mine, DEFAULT_PARTITION, "to:a")).toBe(false);
    expect(await isComplete(bus, toA, DEFAULT_PARTITION, "to:a")).toBe(true);
    expect(await isComplete(bus, toA, DEFAULT_PARTITION, "answers")).toBe(false);
    expect(await bus.read("inbox:1", toA.cursor)).toMatchObject({ complete: false });
    expect((await readAll(bus, "inbox:1", toA.cursor)).entries.at(-1)?.cursor).toBe(last.cursor);
  });

  test("are tracked up to a limit; evicted ones count as incomplete", async () => {
    const first = await append(bus, DEFAULT_PARTITION);
    const sent: Sent[] = [];
    // Clients choose the names of devices, of any length.
    const name = (count: number) => `to:${count}${"é".repeat(count === 0 ? 2_000 : 100)}`;
    for (let count = 0; count < 3 * INBOX_PARTITIONS_MAX; count++) {
      sent.push(await append(bus, name(count)));
    }
    const [oldest, newest] = [sent[0] as Sent, sent.at(-1) as Sent];
    // Everything sent so far expires.
    await append(bus, "other", "x".repeat(INBOX_BYTES_MAX));
    await append(bus, "other", "x".repeat(INBOX_BYTES_MAX));
    expect(await isComplete(bus, first, DEFAULT_PARTITION)).toBe(true);
    expect(await isComplete(bus, first, DEFAULT_PARTITION, name(0))).toBe(false);
    expect(await isComplete(bus, oldest, name(0))).toBe(false);
    expect(await isComplete(bus, newest, name(0))).toBe(true);
    expect(await isComplete(bus, newest, newest.partition)).toBe(true);
    expect(await isComplete(bus, sent.at(-2) as Sent, newest.partition)).toBe(false);
    expect(await isComplete(bus, sent.at(-2) as Sent, (sent.at(-2) as Sent).partition)).toBe(true);
  });
});

describeEmbedded("partitions of the local bus in time", () => {
  let now = 1_000_000;
  let bus: ManagedBus;
  beforeEach(() => {
    now = 1_000_000;
    bus = openLocalBus({ now: () => now }, log);
  });

  test("report expired entries for a day, even when the inbox is empty", async () => {
    const roll = randomFrom(4);
    const sent: Sent[] = [];
    for (let count = 0; count < 60; count++) {
      sent.push(await append(bus, PARTITIONS[roll(PARTITIONS.length)] ?? DEFAULT_PARTITION));
      now += roll(8) === 0 ? roll(2 * INBOX_TTL_MS) : 5_000;
      if (count % 20 === 19) await expectAccurate(bus, sent);
    }
    now += INBOX_TTL_MS + 1;
    await expectAccurate(bus, sent);
    now += 20 * 3_600_000;
    await expectAccurate(bus, sent);
    sent.push(await append(bus, "to:b"));
    await expectAccurate(bus, sent);
  });

  test("an untracked log leaves no state and evicts no other", async () => {
    const seen = await append(bus, DEFAULT_PARTITION);
    await append(bus, "answers");
    now += INBOX_TTL_MS + 1;
    // More of them than empty inboxes are tracked.
    for (let count = 0; count <= 110_000; count++) {
      await bus.append(`log:${count}`, "x", UNTRACKED);
      now += 1;
    }
    now += INBOX_TTL_MS + 1;
    expect((await bus.read("log:1", "")).entries).toEqual([]);
    expect(await isComplete(bus, seen, DEFAULT_PARTITION)).toBe(true);
    expect(await isComplete(bus, seen, DEFAULT_PARTITION, "answers")).toBe(false);
  });
});

describeServices("expiry of partitions of the redis bus", () => {
  let server: RedisServer;
  let bus: ManagedBus;
  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(async () => {
    await sendCommand(server.port, "FLUSHALL");
    bus = await openRedisBus(server.url, log);
  });
  afterEach(() => bus.close());
  afterAll(() => server.stop());

  const STREAM = "signalbox:inbox:{inbox:1}";
  const HEAD = "signalbox:head:{inbox:1}";
  const HASH = "signalbox:lanes:{inbox:1}";
  const number = async (command: string) =>
    Number((await sendCommand(server.port, command)).slice(1));

  test("report expired entries, even when the inbox is empty", async () => {
    const roll = randomFrom(5);
    const sent: Sent[] = [];
    for (let count = 0; count < 40; count++) {
      sent.push(await append(bus, PARTITIONS[roll(PARTITIONS.length)] ?? DEFAULT_PARTITION));
      if (count % 12 !== 11) continue;
      // Simulates the expiry of entries.
      await sendCommand(server.port, `XTRIM ${STREAM} MINID ${sent.at(-6)?.cursor}`);
      await expectAccurate(bus, sent);
    }
    // Simulates the TTL of the keys.
    await sendCommand(server.port, `DEL ${STREAM}`);
    await expectAccurate(bus, sent);
    sent.push(await append(bus, "to:b"));
    await expectAccurate(bus, sent);
  });

  test("count expired entries as gone even before they are removed", async () => {
    await sendCommand(server.port, `XADD ${STREAM} 1000-0 p 999-0 b x e 1 l :answers q 998-0`);
    await sendCommand(server.port, `SET ${HEAD} 1000-0`);
    await sendCommand(server.port, `HSET ${HASH} = 1000-0 : 999-0 :answers 1000-0`);
    const [before, at] = ["999-0", "1000-0"].map((cursor) => ({ cursor, partition: "" })) as [
      Sent,
      Sent,
    ];
    expect(await isComplete(bus, before, DEFAULT_PARTITION, "to:a")).toBe(true);
    expect(await isComplete(bus, before, "answers")).toBe(false);
    await append(bus, DEFAULT_PARTITION);
    expect(await isComplete(bus, before, DEFAULT_PARTITION, "to:a")).toBe(true);
    expect(await isComplete(bus, before, "answers")).toBe(false);
    expect(await isComplete(bus, at, "answers")).toBe(true);
  });

  test("entries written by older nodes without partitions count for every reader", async () => {
    const seen = await append(bus, DEFAULT_PARTITION);
    const [ms = 0] = seen.cursor.split("-").map(Number);
    const old = { cursor: `${ms}-7`, partition: DEFAULT_PARTITION };
    await sendCommand(server.port, `XADD ${STREAM} ${old.cursor} p ${seen.cursor} b x e 2`);
    await sendCommand(server.port, `SET ${HEAD} "${old.cursor} 2 0"`);
    for (const partition of PARTITIONS) expect(await isComplete(bus, seen, partition)).toBe(true);
    await sendCommand(server.port, `DEL ${STREAM}`);
    for (const partition of PARTITIONS) expect(await isComplete(bus, seen, partition)).toBe(false);
    const next = await append(bus, "to:b");
    await append(bus, "answers");
    await sendCommand(server.port, `DEL ${STREAM}`);
    for (const partition of PARTITIONS) expect(await isComplete(bus, seen, partition)).toBe(false);
    // From there on the partitions are tracked.
    expect(await isComplete(bus, old, DEFAULT_PARTITION, "to:a")).toBe(true);
    expect(await isComplete(bus, old, DEFAULT_PARTITION, "to:b")).toBe(false);
    expect(await isComplete(bus, next, DEFAULT_PARTITION, "to:b")).toBe(true);
  });

  test("without a head no earlier cursor is complete", async () => {
    const seen = await append(bus, DEFAULT_PARTITION);
    await sendCommand(server.port, `DEL ${STREAM} ${HEAD}`);
    expect(await isComplete(bus, seen, "to:a")).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const next = await append(bus, DEFAULT_PARTITION);
    expect(await isComplete(bus, seen, "to:a")).toBe(false);
    expect(await isComplete(bus, next, DEFAULT_PARTITION, "to:a")).toBe(true);
  });

  test("are bounded and expire with the head", async () => {
    for (let count = 0; count < 3 * INBOX_PARTITIONS_MAX; count++) {
      await append(bus, `to:${count}${"é".repeat(500)}`);
    }
    expect(await number(`HLEN ${HASH}`)).toBeLessThanOrEqual(INBOX_PARTITIONS_MAX + 4);
    expect(Math.abs((await number(`PTTL ${HASH}`)) - (await number(`PTTL ${HEAD}`)))).toBeLessThan(
      1_000,
    );
  });

  test("an untracked log leaves nothing after its TTL", async () => {
    const { cursor } = await bus.append("inbox:1", "a", UNTRACKED);
    await bus.append("inbox:1", "b", UNTRACKED);
    expect((await bus.read("inbox:1", "")).entries.map(({ body }) => body)).toEqual(["a", "b"]);
    expect(cursor).not.toBe("");
    expect(await number(`PTTL ${STREAM}`)).toBeLessThanOrEqual(INBOX_TTL_MS);
    expect(await number(`PTTL ${HEAD}`)).toBeLessThanOrEqual(INBOX_TTL_MS);
    expect(await number("DBSIZE")).toBe(2);
  });

  test("the last cursors of subscribers are kept while they are subscribed", async () => {
    const timers = jest.spyOn(globalThis, "setInterval");
    const listening = await openRedisBus(server.url, log);
    try {
      await listening.subscribe("inbox:1", () => undefined);
      await append(listening, "to:a");
      for (const key of [HEAD, HASH]) await sendCommand(server.port, `PEXPIRE ${key} 60000`);
      const seldom = timers.mock.calls.filter(([, ms]) => ms === LAST_CURSOR_TTL_MS / 4);
      for (const [renew] of seldom) renew();
      await eventually(async () => {
        for (const key of [HEAD, HASH]) {
          expect(await number(`PTTL ${key}`)).toBeGreaterThan(3_600_000);
        }
      });
    } finally {
      timers.mockRestore();
      await listening.close();
    }
  });
});
