import { setTimeout as wait } from "node:timers/promises";
import type { LoadResult } from "../load-result";
import { percentile } from "../percentile";
import { GraphqlClient } from "./graphql-client";
import type { Account, Endpoint, ExchangeJob, SignalJob, SignInsJob } from "./job";
import { Pair } from "./pair";
import type { Client } from "./signal-client";
import { openTls } from "./tls-wire";
import { connectWebSocket } from "./websocket-wire";
import { XmppClient } from "./xmpp-client";

/** Maximum number of concurrent connection attempts. */
const CONCURRENCY = 8;

/** The connected users, which stay connected between jobs. */
let connected: { client: Client; account: Account }[] = [];

/** Runs a job. @throws Error if the server rejects or loses a signal, or closes a connection */
export async function runSignals(job: SignalJob): Promise<LoadResult> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const untimed = { p50: Number.NaN, p99: Number.NaN };
  switch (job.kind) {
    case "connect":
      await each([...job.specs.entries()], async ([at, { endpoint, account }]) => {
        connected[at] = { client: await connectClient(endpoint, account), account };
      });
      return { count: connected.length, seconds: seconds(), ...untimed };
    case "exchange":
      return exchange(job);
    case "disconnect": {
      await each(connected, ({ client }) => client.ping());
      for (const { client } of connected) {
        if (client.failure) throw client.failure;
        client.close();
      }
      const count = connected.length;
      connected = [];
      return { count, seconds: seconds(), ...untimed };
    }
    case "sign-ins":
      return { ...(await signIns(job)), ...untimed };
  }
}

async function exchange({ pairs: count, ways, seconds }: ExchangeJob): Promise<LoadResult> {
  const pairs = Array.from({ length: count }, (_, n) => {
    const [one, other] = connected.slice(2 * n, 2 * n + 2);
    if (!one || !other) throw new Error(`there are no ${count} pairs`);
    return new Pair(one, other, ways);
  });
  for (const pair of pairs) await pair.connect();
  const startedAt = performance.now();
  for (const pair of pairs) pair.start();
  await wait(seconds * 1000);
  const times = pairs.flatMap((pair) => pair.stop());
  const elapsed = (performance.now() - startedAt) / 1000;
  await Promise.all(pairs.map((pair) => pair.whenDelivered()));
  return {
    count: times.length * (ways === "both" ? 2 : 1),
    seconds: elapsed,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

async function signIns({ endpoint, accounts, seconds }: SignInsJob) {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let count = 0;
  const worker = async (first: number) => {
    for (let n = first; performance.now() < end; n += CONCURRENCY) {
      const account = accounts[n % accounts.length];
      if (!account) throw new Error("there are no accounts");
      (await connectClient(endpoint, account)).close();
      count++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, n) => worker(n)));
  return { count, seconds: (performance.now() - startedAt) / 1000 };
}

/** Runs an action for all items with limited concurrency. */
async function each<T>(items: T[], action: (item: T) => Promise<void>): Promise<void> {
  const remaining = items.values();
  const worker = async () => {
    for (const item of remaining) await action(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Connects a user. Resolves once the user can receive signals. @throws Error if the server rejects it */
async function connectClient(endpoint: Endpoint, account: Account): Promise<Client> {
  if (endpoint.kind === "graphql") return GraphqlClient.connect(endpoint.url, account);
  const wire =
    endpoint.kind === "tls" ? await openTls(endpoint.port) : await connectWebSocket(endpoint.url);
  return XmppClient.begin(wire, account);
}
