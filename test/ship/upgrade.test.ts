import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  execute,
  type PostgresServer,
  startPostgres,
} from "../../scripts/services/postgres-server";
import { type RedisServer, startRedis } from "../../scripts/services/redis-server";
import { setStandInCredentials } from "../../scripts/stand-in-set-up";
import { graphql } from "../../tools/graphql/graphql-http";
import { type StandIns, startStandIns } from "../../tools/stand-ins/start";
import { newStandInKeys } from "../../tools/stand-ins/stored-keys";
import { addOwners } from "../support/calls/phones/owners";
import { DOMAIN } from "../support/chat/chat";
import { closeAfterEach } from "../support/close-after-each";
import { eventually } from "../support/moving-clock";
import { NO_RATES } from "../support/node";
import { Load } from "../support/upgrade/load";
import {
  installCommit,
  nextVersion,
  runVersion,
  startVersion,
  THIS_VERSION,
  type Version,
  type VersionNode,
} from "../support/upgrade/versions";

/**
 * A deployment is upgraded while clients use it: a node of the new version joins, and the old one leaves. Then it is set
 * back the same way, if the old version starts on the migrated database.
 */

/**
 * The last commit without the files of deploy/ for systemd, Compose and Kubernetes. It refuses a database with migrations
 * that it does not know.
 */
const EARLIER = "5c374731";
/** A migration that only adds, and keeps calls locked for two seconds. */
const NEXT = `-- Needs: nothing
ALTER TABLE "calls" ADD COLUMN "next" TEXT;
CREATE TABLE "next_things" ("id" BIGSERIAL PRIMARY KEY, "call_id" BIGINT REFERENCES "calls"("id") ON DELETE CASCADE);
SELECT pg_sleep(2);
`;
const CLIENTS = 12;
const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";

describe.each([
  [
    "a commit of an earlier version to this one",
    () => installCommit(EARLIER),
    async () => THIS_VERSION,
    { setsBack: false },
  ],
  [
    "this version to one with a further migration",
    async () => THIS_VERSION,
    () => nextVersion(NEXT),
    { setsBack: true },
  ],
])("from %s", (_title, openOld, openNew, { setsBack }) => {
  let versions: { old: Version; new: Version };
  let postgres: PostgresServer;
  let redis: RedisServer;
  let standIns: StandIns;
  let folder: string;
  let environment: Record<string, string>;
  /** The nodes that clients use. */
  const nodes: VersionNode[] = [];
  const all: VersionNode[] = [];

  beforeAll(async () => {
    versions = { old: await openOld(), new: await openNew() };
    postgres = await startPostgres();
    redis = await startRedis();
    const anywhere = { host: "127.0.0.1", apnsPort: 0, fcmPort: 0, webPort: 0 };
    standIns = await startStandIns(newStandInKeys(), anywhere);
    folder = await mkdtemp(join(tmpdir(), "signalbox-upgrade-"));
    environment = {
      ...NO_RATES,
      DATA_DIR: folder,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SECRET_KEY: "0".repeat(64),
      CHAT_DOMAIN: DOMAIN,
      ALLOW_PRIVATE_NETWORKS: "true",
      DRAIN_SPREAD_SECONDS: "1",
      LOG_LEVEL: "warn",
    };
  });
  const loads = closeAfterEach();
  afterAll(async () => {
    await Promise.all(all.map((node) => node.stop()));
    await standIns?.close();
    await redis?.stop();
    await postgres?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
    await versions?.old.remove();
    await versions?.new.remove();
  });

  const startNode = async (version: Version): Promise<VersionNode> => {
    const node = await startVersion(version, environment);
    all.push(node);
    nodes.push(node);
    return node;
  };
  /** Takes a node out of use, then stops it, as docs/OPERATIONS.md says. */
  const leave = async (node: VersionNode): Promise<void> => {
    nodes.splice(nodes.indexOf(node), 1);
    await wait(1_000);
    expect(await node.stop()).toBe(0);
  };
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));

  /** The devices of users, which receive their pushes at the stand-in. */
  async function addClients(first: VersionNode) {
    const sql = async <Row>(text: string, values: unknown[]) =>
      (await execute(postgres.url, text, values)) as Row[];
    const applicationId: number = read("credentials.json").application_id;
    const { data } = await graphql(first, SIGN_IN, { input: read("owner.json") });
    const ask = async (query: string, variables?: object) => {
      const answer = await graphql(first, query, { ...variables }, data.signInMember.token);
      if (answer.errors) throw new Error(JSON.stringify(answer.errors));
      return answer.data;
    };
    await setStandInCredentials(ask, String(applicationId), standIns);
    const owners = await addOwners(sql, applicationId, "client-", CLIENTS);
    await sql(
      `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, token, updated_at)
        SELECT application_id, id, 'gcm', 'development', 'android', 'udid' || id, 'token-of-' || id, now()
        FROM users WHERE id = ANY($1::bigint[])`,
      [owners.map(({ id }) => id)],
    );
    return owners;
  }

  /** The texts of the pushes that the stand-in has accepted. */
  const sentTexts = () =>
    standIns.fcm.received.items
      // A check of the credentials is sent to nobody.
      .filter(({ status, validateOnly }) => status === 200 && !validateOnly)
      .map(({ message }) => (message.data as { text: string }).text);

  test("nothing is lost, nothing is sent twice, and no request fails", async () => {
    const old = await startNode(versions.old);
    const load = new Load(await addClients(old), () => nodes);
    loads({ close: async () => load.hangUp() });
    await load.start();
    await load.proceed();

    const plan = JSON.parse(
      await runVersion(versions.new, ["doctor", "--before-upgrade", "--json"], environment),
    );
    expect(plan.ok).toBe(true);
    const migration = { from: Date.now(), to: 0 };
    await runVersion(versions.new, ["migrate"], environment);
    migration.to = Date.now();
    await load.proceed();
    const upgraded = await startNode(versions.new);
    await load.proceed();
    await leave(old);
    await load.proceed();

    if (setsBack) {
      await startNode(versions.old);
      await load.proceed();
      await leave(upgraded);
      await load.proceed();
    }
    await load.stop();

    const { answers, pushes, calls, signals } = load.acknowledged;
    const failed = answers.filter(({ status, code }) => status >= 500 || code === "INTERNAL");
    expect(failed.filter(({ status }) => status !== 503)).toEqual([]);
    const outside = ({ sent, answered }: (typeof answers)[number]) =>
      answered < migration.from || sent > migration.to;
    const unavailable = answers.filter(
      ({ status, code }) => status === 503 || code === "UNAVAILABLE",
    );
    expect(unavailable.filter(outside)).toEqual([]);

    expect([...signals.values()].flat().length).toBeGreaterThan(8 * CLIENTS);
    await eventually(
      () => load.missingSignals(),
      ({ length }) => length === 0,
    );
    expect(load.gaps()).toEqual([]);

    expect(pushes.length).toBeGreaterThan(4 * CLIENTS);
    await eventually(sentTexts, (texts) => pushes.every((text) => texts.includes(text)));
    const texts = sentTexts();
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);

    expect(calls.length).toBeGreaterThan(2 * CLIENTS);
    for (const call of calls) {
      await eventually(
        () => load.stateOf(call),
        (state) => state === "HUNG_UP",
      );
    }
    for (const node of nodes) expect(node.output()).not.toMatch(/"level":(50|60)/);
  });
});
