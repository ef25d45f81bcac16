import { setTimeout as wait } from "node:timers/promises";
import type { Driver } from "../driver-process";
import type { Windows } from "../measure";
import type { Account, ClientSpec } from "./job";
import { type ConnectionRow, endpointOf, type SignalRow } from "./rows";
import type { ChatServer } from "./server";

/** Number of pairs in the loaded measurement. */
const PAIRS = 8;
/** Number of connections that are opened and closed before the first memory reading, as a warm-up. */
const WARM_UP_CONNECTIONS = 200;
/** Minimum number of connections per second that are opened or closed. */
const CONNECTIONS_PER_SECOND = 50;

/** The measurement of a signal row. */
export interface SignalMeasurement {
  row: SignalRow;
  /** Latency of one pair in microseconds: round trip, or one-way between two protocols. */
  p50: number;
  p99: number;
  /** Signals per second of all pairs. */
  perSecond: number;
  /** Server CPU time per signal, in microseconds. */
  cpuMicros: number;
}

/** The measurement of a connection row. */
export interface ConnectionMeasurement {
  row: ConnectionRow;
  /** Number of opened connections. */
  connections: number;
  /** Number of connections that responded to a ping at the end. */
  held: number;
  /** Resident memory of the server per connection, in KiB. */
  kib: number;
  /** Only for the smallest number of connections. */
  signInsPerSecond?: number;
}

/** Warms up a server, then measures the latency of one pair and the throughput of all pairs. */
export async function measureSignals(
  driver: Driver,
  server: ChatServer,
  accounts: Account[],
  row: SignalRow,
  { warmUp, measured }: Windows,
): Promise<SignalMeasurement> {
  const endpoints = [endpointOf(server, row.from), endpointOf(server, row.to)];
  const specs = accounts.slice(0, 2 * PAIRS).map(
    (account, n): ClientSpec => ({
      account,
      endpoint: endpoints[n % 2] ?? endpointOf(server, row.from),
    }),
  );
  const ways = row.from === row.to ? "both" : "one";
  const exchange = (pairs: number, seconds: number) =>
    driver.run({ kind: "exchange", pairs, ways, seconds });
  await driver.run({ kind: "connect", specs, seconds: 0 });
  await exchange(PAIRS, warmUp);
  const timed = await exchange(1, measured);
  const before = server.usage();
  const loaded = await exchange(PAIRS, measured);
  const after = server.usage();
  await driver.run({ kind: "disconnect", seconds: 0 });
  return {
    row,
    p50: timed.p50 * 1000,
    p99: timed.p99 * 1000,
    perSecond: loaded.count / loaded.seconds,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / loaded.count,
  };
}

/**
 * Measures each number of connections in turn, always starting from none, and sign-ins at the end.
 * @param sizes numbers of connections, ascending
 * @param settleMs idle time before the server's memory is read, in milliseconds
 */
export async function measureConnections(
  driver: Driver,
  server: ChatServer,
  accounts: Account[],
  row: ConnectionRow,
  sizes: number[],
  seconds: number,
  settleMs: number,
): Promise<ConnectionMeasurement[]> {
  const endpoint = endpointOf(server, row.transport);
  const connect = async (size: number) => {
    const specs = accounts.slice(0, size).map((account) => ({ endpoint, account }));
    await driver.run({ kind: "connect", specs, seconds: size / CONNECTIONS_PER_SECOND });
    await wait(settleMs);
  };
  const disconnect = (size: number) =>
    driver.run({ kind: "disconnect", seconds: size / CONNECTIONS_PER_SECOND });
  await connect(WARM_UP_CONNECTIONS);
  await disconnect(WARM_UP_CONNECTIONS);
  await wait(settleMs);
  const before = server.usage().rssMb;
  const measurements: ConnectionMeasurement[] = [];
  for (const connections of sizes) {
    await connect(connections);
    const kib = ((server.usage().rssMb - before) * 1024) / connections;
    const { count: held } = await disconnect(connections);
    measurements.push({ row, connections, held, kib });
  }
  const [smallest] = measurements;
  const signIns = await driver.run({ kind: "sign-ins", endpoint, accounts, seconds });
  if (smallest) smallest.signInsPerSecond = signIns.count / signIns.seconds;
  return measurements;
}
