import { createDemoUsers, type DemoUser } from "../../demo/call/demo-users";
import type { PageServer } from "../../demo/call/page-server";
import {
  createDemoConference,
  type DemoConference,
  serveConferencePage,
} from "../../demo/conference/demo-conference";
import type { ServerCredentials } from "../../demo/server";
import { type DurableRedis, startDurableRedis } from "../../scripts/services/redis-server";
import { ENGINE_SERVERS, type EngineServer } from "../../tools/conferences/engine-servers";
import {
  type DemoBrowser,
  holds,
  openDemoBrowser,
  plays,
  shows,
  tiles,
} from "../support/conferences/demo-pages";
import { type BreakableProxy, startBreakableProxy } from "../support/operations/breakable-proxy";
import { Cluster } from "../support/operations/cluster";

/** Conferences of Chromium pages on two nodes, while the media server, a node or Redis fails. */

/**
 * Time until participants play each other again, in milliseconds: ten times the aims, which the benchmark measures
 * (`npm run bench:conference -- --recovery`).
 */
const BACK_AFTER_KILL_MS = 30_000;
const BACK_AFTER_HANG_MS = 50_000;

/** Runs work that must not take longer. */
async function within(milliseconds: number, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  expect(performance.now() - startedAt).toBeLessThan(milliseconds);
}

describe.each(ENGINE_SERVERS)("on $name", ({ start }) => {
  let engine: EngineServer;
  let redis: DurableRedis;
  let cluster: Cluster;
  let browser: DemoBrowser;
  let people: DemoUser[];
  /** The way to the first node, which leads to the second one once the first is dead. */
  let way: BreakableProxy;
  let conference: DemoConference;
  let first: PageServer;
  let second: PageServer;

  beforeAll(async () => {
    engine = await start();
    redis = await startDurableRedis();
    cluster = await Cluster.start(2, { REDIS_URL: redis.url, ...engine.environment });
    browser = await openDemoBrowser();
    way = await startBreakableProxy(portOf(0));
    people = await createDemoUsers(credentialsAt(`http://127.0.0.1:${way.port}/graphql`));
  });
  beforeEach(async () => {
    const credentials = credentialsAt(`http://127.0.0.1:${way.port}/graphql`);
    const [ann] = people;
    if (!ann) throw new Error("no users");
    conference = await createDemoConference(credentials, ann, `Failures ${Math.random()}`);
    const serve = (at: ServerCredentials) =>
      serveConferencePage(at, people, conference, at.graphql_url.replace("http", "ws"));
    first = await serve(credentials);
    second = await serve(credentialsAt(nodeAt(1).graphqlUrl));
  });
  afterEach(async () => {
    const errors = await browser.closePages();
    await first.close();
    await second.close();
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await browser?.dispose();
    await way?.close();
    await cluster?.stop();
    await redis?.stop();
    await engine?.stop();
  });

  const nodeAt = (index: number) => {
    const node = cluster.runningNodes()[index];
    if (!node) throw new Error(`no node ${index}`);
    return node;
  };
  const portOf = (index: number) => Number(new URL(nodeAt(index).graphqlUrl).port);
  /** The credentials with the address of a node, or of a proxy to it. */
  function credentialsAt(graphqlUrl: string): ServerCredentials {
    const base_url = new URL(graphqlUrl).origin;
    return { ...cluster.credentials(), base_url, graphql_url: graphqlUrl };
  }

  /** Two participants: the first one makes the first node the host, the second is at the second node. */
  async function meet() {
    const ann = await browser.join(first.url, "?user=ann");
    const ben = await browser.join(second.url, "?user=ben");
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
    return { ann, ben };
  }
  const hostPid = () => nodeAt(0).process.child.pid ?? 0;

  it("participants see each other again after the media server was killed, and after it hung", async () => {
    const { ann, ben } = await meet();
    await engine.kill(hostPid());
    await within(BACK_AFTER_KILL_MS, () => Promise.all([plays(ann, 1), plays(ben, 1)]));
    const closed = "peers.at(-1).connectionState !== 'connected'";
    await engine.hang(hostPid(), () => holds(ann, closed));
    await within(BACK_AFTER_HANG_MS, () => Promise.all([plays(ann, 1), plays(ben, 1)]));
    await Promise.all([tiles(ann, 2), tiles(ben, 2)]);
  });

  it("events and media go on after Redis was killed", async () => {
    const { ann, ben } = await meet();
    await redis.restart("SIGKILL");
    await ann.click("#microphone");
    await shows(ben, "Ann Moreau · muted");
    const guest = await browser.join(second.url, `#${conference.linkSecret}`, "Gwen Guest");
    await Promise.all([tiles(ann, 3), tiles(ben, 3)]);
    await Promise.all([plays(ann, 2), plays(ben, 2, 1), plays(guest, 2, 1)]);
  });

  it("participants see each other again after their node was killed, and nobody twice", async () => {
    const { ann, ben } = await meet();
    const survivor = portOf(1);
    await cluster.stopNode(0, "SIGKILL");
    way.redirect(survivor);
    way.breakConnections();
    await within(BACK_AFTER_KILL_MS, () => Promise.all([plays(ann, 1), plays(ben, 1)]));
    await Promise.all([tiles(ann, 2), tiles(ben, 2)]);
    const guest = await browser.join(first.url, `#${conference.linkSecret}`, "Gwen Guest");
    await Promise.all([ann, ben, guest].map((page) => plays(page, 2)));
    await Promise.all([ann, ben, guest].map((page) => tiles(page, 3)));
  });
});
