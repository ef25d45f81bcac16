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
import { newUser } from "../support/rest-client";
import { ConferenceLoad } from "../support/upgrade/conference-load";
import { Load } from "../support/upgrade/load";
import {
  installCommit,
  laterVersion,
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
const WITHOUT_RECORD = "5c374731";
/** A commit that reads the record of each migration, which says which versions may run after it. */
const WITH_RECORD = "d492b4a3";
/** Migrations of later versions. The first one only adds, and keeps calls locked for two seconds. */
const ADDING = {
  "29990101000000_next": `-- Needs: nothing
ALTER TABLE "calls" ADD COLUMN "next" TEXT;
CREATE TABLE "next_things" ("id" BIGSERIAL PRIMARY KEY, "call_id" BIGINT REFERENCES "calls"("id") ON DELETE CASCADE);
SELECT pg_sleep(2);
`,
};
const REMOVING = {
  "29990102000000_later": `-- Needs: 29990101000000_next
ALTER TABLE "calls" DROP COLUMN "next";
`,
};
const CLIENTS = 12;
/** How many of them are in a conference. */
const PARTICIPANTS = 3;
const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";

describe.each([
  {
    title: "a commit that refuses later migrations to this version",
    openOld: () => installCommit(WITHOUT_RECORD),
    openNew: async () => THIS_VERSION,
    hasRecord: false,
    refuses: "20261130000000_ending_conferences",
  },
  {
    title: "an earlier commit to this version with a further migration, and back",
    openOld: () => installCommit(WITH_RECORD),
    openNew: () => laterVersion(ADDING),
    hasRecord: true,
    refuses: "29990102000000_later",
  },
])("from $title", ({ openOld, openNew, hasRecord, refuses }) => {
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
  const opened = closeAfterEach();
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

  /** A user with a password, and users with devices, which receive their pushes at the stand-in. */
  async function addClients(first: VersionNode) {
    const sql = async <Row>(text: string, values: unknown[]) =>
      (await execute(postgres.url, text, values)) as Row[];
    const keys = read("credentials.json");
    const applicationId: number = keys.application_id;
    const application = {
      id: applicationId,
      authKey: keys.auth_key,
      authSecret: keys.auth_secret,
      accountKey: keys.account_key,
    };
    const user = await newUser({ ...first, application });
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
    return { owners, signing: { application, user } };
  }

  /** The texts of the pushes that the stand-in has accepted. */
  const sentTexts = () =>
    standIns.fcm.received.items
      // A check of the credentials is sent to nobody.
      .filter(({ status, validateOnly }) => status === 200 && !validateOnly)
      .map(({ message }) => (message.data as { text: string }).text);

  test("nothing is lost, nothing is sent twice, and no request fails", async () => {
    const old = await startNode(versions.old);
    const { owners, signing } = await addClients(old);
    const load = new Load(owners, signing, () => nodes);
    opened({ close: async () => load.hangUp() });
    // Participants have other names in the version without the record, also between nodes.
    const conference = hasRecord
      ? await ConferenceLoad.open(owners.slice(0, PARTICIPANTS), () => nodes)
      : null;
    if (conference) opened(conference);
    await load.start();
    const proceed = () => Promise.all([load.proceed(), conference?.proceed()]);
    await proceed();

    const plan = JSON.parse(
      await runVersion(versions.new, ["doctor", "--before-upgrade", "--json"], environment),
    );
    expect(plan.ok).toBe(true);
    const migration = { from: Date.now(), to: 0 };
    await runVersion(versions.new, ["migrate"], environment);
    migration.to = Date.now();
    await proceed();
    const upgraded = await startNode(versions.new);
    await proceed();
    await leave(old);
    await proceed();

    if (hasRecord) {
      await startNode(versions.old);
      await proceed();
      await leave(upgraded);
      await proceed();
    }
    await load.stop();

    const { answers, pushes, calls, sessions, signals } = load.acknowledged;
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

    expect(sessions.length).toBeGreaterThan(CLIENTS);
    expect(await load.lostSessions()).toEqual([]);

    if (conference) {
      const { acknowledged, known } = await conference.stop();
      expect(acknowledged).toBeGreaterThan(CLIENTS);
      await eventually(known, (names) => names.every((name) => name === acknowledged));
      expect(conference.failures).toEqual([]);
      expect(conference.setBack()).toEqual([]);
      expect(conference.interruptions()).toEqual([]);
      for (const names of conference.names()) expect(new Set(names).size).toBe(PARTICIPANTS);
    }
    // The version without the record logs an error when it ends while it sends pushes.
    for (const node of hasRecord ? all : nodes) {
      expect(node.output()).not.toMatch(/"level":(50|60)/);
    }

    if (hasRecord) {
      const removing = await laterVersion({ ...ADDING, ...REMOVING });
      opened({ close: removing.remove });
      await runVersion(removing, ["migrate"], environment);
    }
    const refused = `The database has the migration ${refuses}, which this version does not know`;
    await expect(startVersion(versions.old, environment)).rejects.toThrow(refused);
  });
});
