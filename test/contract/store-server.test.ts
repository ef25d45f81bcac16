import { Client } from "pg";
import { eventually } from "../../scripts/services/binaries";
import { execute, startPostgres } from "../../scripts/services/postgres-server";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { UnusableDatabaseError } from "../../src/platform/store/unusable-database-error";
import {
  describeServices,
  type FreshDatabase,
  freshServices,
} from "../support/operations/database";

const log = openLog("silent");
const SECRET_KEY = "0".repeat(64);

describeServices("the nodes of one PostgreSQL database", () => {
  let database: FreshDatabase;
  let url: string;
  const stores: Store[] = [];
  const lost: string[] = [];

  beforeEach(async () => {
    database = await freshServices();
    url = database.environment.DATABASE_URL ?? "";
    lost.length = 0;
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await database.remove();
  });

  async function open(kind: "single" | "clustered" | "tool"): Promise<Store> {
    const { REDIS_URL, ...rest } = database.environment;
    const config = readConfig(kind === "clustered" ? { ...rest, REDIS_URL } : rest);
    const store = await openStore({
      config,
      log,
      isNode: kind !== "tool",
      onLockLost: (reason) => lost.push(reason),
    });
    stores.push(store);
    return store;
  }

  test("a node without Redis runs alone: others are rejected until it has stopped", async () => {
    const first = await open("single");
    await expect(open("single")).rejects.toThrow(UnusableDatabaseError);
    await expect(open("single")).rejects.toThrow(/set REDIS_URL to the same Redis on every node/);
    await expect(open("clustered")).rejects.toThrow(/restart that node/);
    await open("tool");
    await stores.splice(stores.indexOf(first), 1)[0]?.close();
    await open("single");
  });

  test("several nodes with Redis may run, but not together with one without Redis", async () => {
    await open("clustered");
    await open("clustered");
    await expect(open("single")).rejects.toThrow(UnusableDatabaseError);
  });

  const END_HOLDER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'signalbox-node-%'`;
  const holders = async () =>
    (
      await execute(
        url,
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
    ).length;

  test("a lock is taken again after its connection was lost", async () => {
    await open("single");
    await execute(url, END_HOLDER);
    await eventually(async () => expect(await holders()).toBe(1));
    await expect(open("single")).rejects.toThrow(UnusableDatabaseError);
    expect(lost).toEqual([]);
  });

  test("a lock that another node has taken meanwhile is reported as lost", async () => {
    await open("single");
    const other = new Client({ connectionString: url });
    await other.connect();
    const [row] = (
      await other.query(
        `SELECT classid::int8 << 32 | objid::int8 AS key FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
    ).rows;
    // Queued for the lock before the connection of the first node ends.
    const waiting = other.query("SELECT pg_advisory_lock($1)", [row.key]);
    await eventually(async () => {
      const [found] = await execute(url, "SELECT FROM pg_locks WHERE NOT granted");
      expect(found).toBeDefined();
    });
    await execute(url, END_HOLDER);
    await waiting;
    await eventually(async () => expect(lost).toHaveLength(1));
    expect(lost[0]).toMatch(/Another node of the service runs on this database/);
    await other.end();
  });
});

describeServices("a PostgreSQL server that becomes unavailable", () => {
  test("makes every access UNAVAILABLE, and is used again when it is back", async () => {
    const server = await startPostgres();
    const lost: string[] = [];
    const store = await openStore({
      config: readConfig({ DATABASE_URL: server.url, SECRET_KEY }),
      log,
      isNode: true,
      onLockLost: (reason) => lost.push(reason),
    });
    await Promise.all([
      store.execute("SELECT 1"),
      store.execute("SELECT 1"),
      store.db.account.count(),
    ]);
    await server.pause();
    await expect(store.execute("SELECT 1")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      retryAfter: 2,
    });
    const attempts: (() => Promise<unknown>)[] = [
      () => store.db.account.count(),
      () => store.db.account.create({ data: { name: "a", accountKey: "b" } }),
      () => store.db.$queryRaw`SELECT 1`,
      () => store.transaction(async ({ prisma }) => (await prisma()).account.count()),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfter: 2 });
    }
    await server.resume();
    await eventually(() => store.execute("SELECT 1"));
    expect(await store.db.account.count()).toBe(0);
    await eventually(async () =>
      expect(
        await execute(server.url, "SELECT FROM pg_locks WHERE locktype = 'advisory'"),
      ).toHaveLength(1),
    );
    expect(lost).toEqual([]);
    await store.close();
    await server.stop();
  });

  test("fails the start if unavailable from the beginning, without revealing the password", async () => {
    const url = "postgresql://user:pass-word@127.0.0.1:1/db";
    const config = readConfig({ DATABASE_URL: url, SECRET_KEY });
    for (const isNode of [true, false]) {
      const error: unknown = await openStore({ config, log, isNode }).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(UnusableDatabaseError);
      expect(String(error)).toMatch(/cannot be reached/);
      expect(String(error)).not.toMatch(/pass-word/);
    }
  });
});
