import { setTimeout as wait } from "node:timers/promises";
import type { Driver } from "../driver-process";
import type { Windows } from "../measure";
import type { Account, Seat } from "./job";
import { type CrowdRow, doorOf, type TalkRow } from "./rows";
import type { ChatServer } from "./server";

/** Pairs that talk at once. */
const PAIRS = 8;
/** Who comes and goes before memory is read first, so that what every connection needs is there. */
const FIRST = 200;
/** Who comes or goes in a second at least. */
const ENTRIES = 50;

/** What was measured of signals. */
export interface Talk {
  row: TalkRow;
  /** Microseconds of one pair: there and back, or of one way from door to door. */
  p50: number;
  p99: number;
  /** Signals a second of all pairs. */
  perSecond: number;
  /** Microseconds of the server's CPU for each. */
  cpuMicros: number;
}

/** What was measured of connections. */
export interface Crowd {
  row: CrowdRow;
  /** How many there were, and how many gave a sign of life at the end. */
  connections: number;
  held: number;
  /** Resident memory of the server for each. */
  kib: number;
  /** With the smallest crowd only. */
  signInsPerSecond?: number;
}

/** Warms a server up, then times one pair, then loads it with all. */
export async function measureTalk(
  driver: Driver,
  server: ChatServer,
  accounts: Account[],
  row: TalkRow,
  { warmUp, measured }: Windows,
): Promise<Talk> {
  const doors = [doorOf(server, row.from), doorOf(server, row.to)];
  const seats = accounts
    .slice(0, 2 * PAIRS)
    .map((account, n): Seat => ({ account, door: doors[n % 2] ?? doorOf(server, row.from) }));
  const ways = row.from === row.to ? "both" : "one";
  const talk = (pairs: number, seconds: number) =>
    driver.run({ kind: "talk", pairs, ways, seconds });
  await driver.run({ kind: "enter", seats, seconds: 0 });
  await talk(PAIRS, warmUp);
  const timed = await talk(1, measured);
  const before = server.usage();
  const loaded = await talk(PAIRS, measured);
  const after = server.usage();
  await driver.run({ kind: "leave", seconds: 0 });
  return {
    row,
    p50: timed.p50 * 1000,
    p99: timed.p99 * 1000,
    perSecond: loaded.count / loaded.seconds,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / loaded.count,
  };
}

/**
 * Connects as many as are asked for, each time with those before gone, and measures sign-ins last.
 * @param sizes ascending
 * @param settleMs what a server has to come to rest before its memory is read
 */
export async function measureCrowds(
  driver: Driver,
  server: ChatServer,
  accounts: Account[],
  row: CrowdRow,
  sizes: number[],
  seconds: number,
  settleMs: number,
): Promise<Crowd[]> {
  const door = doorOf(server, row.door);
  const gather = async (size: number) => {
    const seats = accounts.slice(0, size).map((account) => ({ door, account }));
    await driver.run({ kind: "enter", seats, seconds: size / ENTRIES });
    await wait(settleMs);
  };
  const leave = (size: number) => driver.run({ kind: "leave", seconds: size / ENTRIES });
  await gather(FIRST);
  await leave(FIRST);
  await wait(settleMs);
  const before = server.usage().rssMb;
  const crowds: Crowd[] = [];
  for (const connections of sizes) {
    await gather(connections);
    const kib = ((server.usage().rssMb - before) * 1024) / connections;
    const { count: held } = await leave(connections);
    crowds.push({ row, connections, held, kib });
  }
  const [smallest] = crowds;
  const signIns = await driver.run({ kind: "sign-ins", door, accounts, seconds });
  if (smallest) smallest.signInsPerSecond = signIns.count / signIns.seconds;
  return crowds;
}
