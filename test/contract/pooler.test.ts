import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type PgBouncer, startPgBouncer } from "../../scripts/services/pgbouncer";
import { execute } from "../../scripts/services/postgres-server";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { checkDatabase } from "../../src/domain/health/checks/database";
import { openMigrationConnection } from "../../src/platform/store/migration-connection";
import { migrateStore, openStore } from "../../src/platform/store/open";
import {
  describeServices,
  type FreshDatabase,
  freshServices,
} from "../support/operations/database";

/** A connection pooler between a node and PostgreSQL. */

const log = openLog("silent");

describeServices("behind PgBouncer", () => {
  let database: FreshDatabase;
  let pooler: PgBouncer | undefined;
  beforeAll(async () => {
    database = await freshServices();
  });
  afterEach(async () => {
    await pooler?.stop();
    pooler = undefined;
  });
  afterAll(() => database.remove());

  async function configure(settings: string[]) {
    pooler = await startPgBouncer(database.environment.DATABASE_URL ?? "", settings);
    const { REDIS_URL, ...alone } = database.environment;
    return readConfig({ ...alone, DATABASE_URL: pooler.url });
  }
  const doctor = (config: Awaited<ReturnType<typeof configure>>) =>
    checkDatabase(config, { open: () => openMigrationConnection(config), decryptSecrets: false });
  const locks = () =>
    execute(
      database.environment.DATABASE_URL ?? "",
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );

  test.each([
    ["transaction mode", ["pool_mode = transaction"]],
    ["transaction mode in turn", ["pool_mode = transaction", "server_round_robin = 1"]],
    ["transaction mode on one connection", ["pool_mode = transaction", "default_pool_size = 1"]],
    ["statement mode", ["pool_mode = statement"]],
  ])("in %s nothing starts, and doctor says the same", async (_, settings) => {
    const config = await configure(settings);
    const [found, ...others] = await doctor(config);
    expect([found?.check, found?.status, others]).toEqual(["database", "error", []]);
    const sentence = `${found?.detail}. ${found?.fix}`;
    expect(sentence).toMatch(/^DATABASE_URL leads to a connection pooler/);
    await expect(openStore({ config, log, isNode: true })).rejects.toThrow(new Error(sentence));
    await expect(migrateStore(config, log)).rejects.toThrow(new Error(sentence));
    const text = await readFile(join(__dirname, "../../docs/OPERATIONS.md"), "utf8");
    expect(text.replace(/\s+/g, " ")).toContain(sentence);
    // A lock would stay with the pooler's connection.
    expect(await locks()).toEqual([]);
  });

  test("in session mode a node starts, and its lock stops a second one", async () => {
    const config = await configure(["pool_mode = session"]);
    const store = await openStore({ config, log, isNode: true });
    try {
      const counts = await Promise.all(
        Array.from({ length: 5 }, () =>
          store.transaction(async ({ query, prisma }) => {
            await query({ name: "one", text: "SELECT 1" }, []);
            return (await prisma()).account.count();
          }),
        ),
      );
      expect(counts).toEqual([0, 0, 0, 0, 0]);
      await expect(openStore({ config, log, isNode: true })).rejects.toThrow(/Another node/);
      const [found] = await doctor(config);
      expect(found).toMatchObject({ check: "database", status: "ok" });
    } finally {
      await store.close();
    }
  });
});
