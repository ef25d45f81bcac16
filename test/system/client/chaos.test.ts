import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Call, createSignalbox, type Signalbox } from "../../../client/src/index.ts";
import { type DurableRedis, startDurableRedis } from "../../../scripts/services/redis-server";
import type { Owner } from "../../support/calls/phones/phone";
import { FakeMedia } from "../../support/client-package/fake-media";
import { eventually } from "../../support/moving-clock";
import { type BreakableProxy, startBreakableProxy } from "../../support/operations/breakable-proxy";
import { Cluster } from "../../support/operations/cluster";

/**
 * Two nodes, PostgreSQL, Redis and ten calls between twenty clients of the package, which signal each other while nodes
 * are killed, connections break, and for a time no node runs at all.
 */

const CALLS = 10;
/** A guard against hanging alone, in milliseconds: far more than the outage and everything around it. */
const TIMEOUT_MS = 480_000;
/** Average interval between signals of a client, in milliseconds. */
const PACE_MS = 400;
/** Time in which no node runs, in milliseconds. */
const OUTAGE_MS = 60_000;
/** Shortest waits of the back-off, in milliseconds: the first, and the one that is no longer doubled. */
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 7_500;

/** Attempts that fit into an outage at most, when each wait of the back-off is the shortest that its jitter allows. */
function attemptsIn(ms: number): number {
  let attempts = 1;
  for (
    let at = 0, wait = FIRST_WAIT_MS;
    at <= ms;
    at += wait, wait = Math.min(2 * wait, LAST_WAIT_MS)
  ) {
    attempts += 1;
  }
  return attempts;
}

interface Client {
  owner: Owner;
  signalbox: Signalbox;
  /** When each connection was tried, in milliseconds. */
  attempts: number[];
  /** Number of times each call rang, by its id. */
  rung: Map<string, number>;
  /** Number of deliveries of each test signal, by its call id. */
  received: Map<string, number>;
  /** Number of times it was told that it may have missed signals. */
  missed: number;
  /** When it received the first test signal after that, in milliseconds; infinite before. */
  resumedAt: number;
}

let redis: DurableRedis;
let cluster: Cluster;
let proxy: BreakableProxy;
let media: FakeMedia;
let clients: Client[] = [];
beforeAll(async () => {
  redis = await startDurableRedis();
  cluster = await Cluster.start(2, { REDIS_URL: redis.url, DRAIN_SPREAD_SECONDS: "1" });
  proxy = await startBreakableProxy(portOf(0));
  media = new FakeMedia();
});
afterAll(async () => {
  for (const { signalbox } of clients) signalbox.close();
  await proxy?.close();
  await cluster?.stop();
  await redis?.stop();
});

const portOf = (index: number) => {
  const node = cluster.runningNodes()[index];
  return Number(new URL(node?.graphqlUrl ?? "http://127.0.0.1:9").port);
};

function openClient(owner: Owner): Client {
  const attempts: number[] = [];
  const signalbox = createSignalbox({
    url: `http://127.0.0.1:${proxy.port}`,
    session: () => owner.token,
    media: media.platform(),
    WebSocket: class extends WebSocket {
      constructor(...[url, protocols]: ConstructorParameters<typeof WebSocket>) {
        super(url, protocols);
        attempts.push(Date.now());
      }
    },
  });
  const client: Client = {
    ...{ owner, signalbox, attempts, missed: 0, resumedAt: Number.POSITIVE_INFINITY },
    ...{ rung: new Map<string, number>(), received: new Map<string, number>() },
  };
  const count = (counts: Map<string, number>, id: string) =>
    counts.set(id, (counts.get(id) ?? 0) + 1);
  signalbox.calls.on("incoming", (call) => {
    count(client.rung, call.id);
    void call.accept().catch(() => {});
  });
  signalbox.signals.on("signal", ({ signalType, callId }) => {
    if (signalType !== "update" || !callId?.startsWith("load ")) return;
    count(client.received, callId);
    if (client.missed > 0) client.resumedAt = Math.min(client.resumedAt, Date.now());
  });
  signalbox.signals.on("missed", () => {
    client.missed += 1;
  });
  return client;
}

const isConnected = (call: Call | null) => call?.state === "connected";
const allConnected = (expected: number) =>
  eventually(
    () => clients.filter(({ signalbox }) => isConnected(signalbox.calls.current)).length,
    (count) => count === expected,
  );

/** The other one of each pair. */
const partnerOf = (index: number) => clients[index ^ 1] as Client;

/** Starts the calls of pairs; the first of each calls. */
const startCalls = (pairs: number[]) =>
  Promise.all(
    pairs.map((pair) =>
      clients[2 * pair]?.signalbox.calls.start({ users: [partnerOf(2 * pair).owner.id] }),
    ),
  );

test(
  "ten calls go on through kills, breaks and an outage: attempts are bounded, nothing rings twice, nothing is lost",
  async () => {
    clients = (await cluster.createUsers(2 * CALLS)).map(openClient);
    const pairs = clients.slice(0, CALLS).map((_, pair) => pair);
    const calls = await startCalls(pairs);
    await allConnected(clients.length);
    const before = clients.map(({ attempts }) => attempts.length);
    expect(before).toEqual(clients.map(() => 1));

    const acknowledged: [to: Client, callId: string, began: number][] = [];
    const refused: unknown[] = [];
    let over = false;
    const sending = clients.map(async ({ signalbox }, index) => {
      for (let count = 0; !over; count += 1) {
        await wait(Math.random() * 2 * PACE_MS);
        const to = partnerOf(index);
        const callId = `load ${index} ${count}`;
        const began = Date.now();
        try {
          const update = { callId, parameters: { microphone: "on" } };
          await signalbox.signals.send({ userId: to.owner.id }, { update });
          acknowledged.push([to, callId, began]);
        } catch (error) {
          refused.push(error);
        }
      }
    });

    let breaks = 0;
    /** Breaks all connections, and waits until all clients have others. */
    const break_ = async () => {
      breaks += 1;
      const before = clients.map(({ attempts }) => attempts.length);
      proxy.breakConnections();
      await eventually(
        () =>
          clients.filter(
            ({ attempts, signalbox }, index) =>
              attempts.length > (before[index] ?? 0) && signalbox.signals.status === "online",
          ).length,
        (count) => count === clients.length,
      );
    };
    // Each node in turn is killed while the other one takes over.
    for (const index of [0, 1]) {
      proxy.redirect(portOf(index === 0 ? 1 : 0));
      await cluster.stopNode(index, "SIGKILL");
      await break_();
      await cluster.startNode(index);
    }
    // The network drops all connections.
    for (let turn = 0; turn < 3; turn += 1) await break_();
    await eventually(
      () => acknowledged.length,
      (count) => count > 10 * clients.length,
    );
    // Half of the pairs hang up, and begin another call while nothing runs. Others hang up while nothing runs.
    const again = pairs.filter((pair) => pair % 2 === 0);
    const ending = pairs.filter((pair) => pair % 4 === 1);
    for (const pair of again) clients[2 * pair]?.signalbox.calls.current?.hangUp();
    await eventually(
      () => clients.filter(({ signalbox }) => signalbox.calls.current).length,
      (count) => count === 2 * (CALLS - again.length),
    );
    breaks += 1;
    await Promise.all([0, 1].map((index) => cluster.stopNode(index, "SIGKILL")));
    const outage = Date.now();
    await wait(OUTAGE_MS - 6_000);
    const starting = startCalls(again);
    for (const pair of ending) calls[pair]?.hangUp();
    await wait(6_000);
    await Promise.all([0, 1].map((index) => cluster.startNode(index)));
    const lasted = Date.now() - outage;
    proxy.redirect(portOf(1));
    const restarted = await starting;
    await eventually(
      () => ending.filter((pair) => partnerOf(2 * pair).signalbox.calls.current).length,
      (count) => count === 0,
    );
    await allConnected(clients.length - 2 * ending.length);
    over = true;
    await Promise.all(sending);

    // The calls in progress have not noticed.
    for (const [pair, call] of calls.entries()) {
      if (again.includes(pair) || ending.includes(pair)) continue;
      expect([call?.state, call?.endReason]).toEqual(["connected", null]);
    }
    const rung = clients.flatMap((client) => [...client.rung]);
    expect(rung.filter(([, count]) => count !== 1)).toEqual([]);
    expect(rung).toHaveLength(CALLS + restarted.length);

    // Each client sends one signal at a time. It gives one up after an outage of a minute, which is no promise broken.
    expect(refused.length).toBeLessThanOrEqual(clients.length);
    expect(refused).toEqual(refused.map(() => expect.objectContaining({ code: "NETWORK" })));
    // An inbox keeps signals for a minute. Who was away for longer, because no node ran, is told once that signals may have
    // been missed, and begins anew; everything else arrives.
    await eventually(
      () =>
        acknowledged.filter(
          ([to, callId, began]) =>
            !to.received.has(callId) && (to.missed === 0 || began > to.resumedAt),
        ).length,
      (lost) => lost === 0,
    );
    expect(Math.max(...clients.map(({ missed }) => missed))).toBeLessThanOrEqual(1);
    // A signal whose answer a break has lost is sent again (docs/ERRORS.md).
    const times = acknowledged.map(([to, callId]) => to.received.get(callId) ?? 0);
    expect(Math.max(...times)).toBeLessThanOrEqual(1 + breaks);
    expect(times.filter((count) => count > 1).length).toBeLessThanOrEqual(breaks * clients.length);

    // Each break costs the attempts that fit into the time without a node, and one that succeeds.
    const tries = clients.map(({ attempts }, index) => attempts.length - (before[index] ?? 0));
    const most = attemptsIn(lasted) + 1 + (breaks - 1) * (attemptsIn(5_000) + 1);
    expect(Math.max(...tries)).toBeLessThanOrEqual(most);
    expect(Math.min(...tries)).toBeGreaterThanOrEqual(breaks);
    // Two attempts of one client are never closer than the shortest wait, unless a connection was between them.
    const during = clients.map(({ attempts }) =>
      attempts.filter((at) => at > outage && at < outage + lasted),
    );
    for (const times of during) expect(times.length).toBeLessThanOrEqual(attemptsIn(lasted));
  },
  TIMEOUT_MS,
);
