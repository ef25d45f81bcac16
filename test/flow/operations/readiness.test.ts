import { eventually } from "../../../scripts/services/binaries";
import {
  execute,
  type PostgresServer,
  startPostgres,
  startStandby,
} from "../../../scripts/services/postgres-server";
import { type RedisServer, sendCommand, startRedis } from "../../../scripts/services/redis-server";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { migrateStore, openStore } from "../../../src/platform/store/open";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { only } from "../../support/cli/doctor";
import { startNode, type TestNode } from "../../support/node";
import { type BreakableProxy, startBreakableProxy } from "../../support/operations/breakable-proxy";
import { describeServices } from "../../support/operations/database";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/**
 * Readiness, doctor and requests on one node while its database or its Redis answers but cannot be written. The tests
 * run in order: the last one leaves the first database behind.
 */

const log = openLog("silent");
const SECRET_KEY = "0".repeat(64);
const READ_ONLY =
  "The database is read-only: a standby, or read-only by its settings. Point DATABASE_URL at the primary.";

describeServices("a node whose services answer but refuse writes", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let proxy: BreakableProxy;
  let redis: RedisServer;
  let node: TestNode;
  let user: TestUser;
  beforeAll(async () => {
    [primary, redis] = await Promise.all([startPostgres(), startRedis()]);
    // Tests run without it; a commit that waits for a standby needs it.
    await execute(primary.url, "ALTER DATABASE postgres SET synchronous_commit = on");
    standby = await startStandby(primary);
    proxy = await startBreakableProxy(Number(new URL(primary.url).port));
    node = await startNode({
      SECRET_KEY,
      DATABASE_URL: `postgresql://postgres@127.0.0.1:${proxy.port}/postgres`,
      REDIS_URL: redis.url,
    });
    user = await newUser(node);
  });
  afterAll(async () => {
    await node.stop();
    await proxy.close();
    await redis.stop();
    await standby.stop();
    await primary.stop();
  });

  const readiness = async () => (await rest(node, "GET", "/readyz")).status;
  const becomes = (status: number) =>
    eventually(async () => expect(await readiness()).toBe(status));
  const write = () =>
    rest(node, "PUT", `/users/${user.id}`, {
      token: user.token,
      body: { user: { full_name: "Ann" } },
    });
  const database = async () => only(await runChecks({ environment: node.environment }), "database");
  const alter = async (setting: string) => {
    await execute(primary.url, `ALTER SYSTEM ${setting}`);
    await execute(primary.url, "SELECT pg_reload_conf()");
  };

  /** Ways in which PostgreSQL refuses the writes of the node, and what doctor says. */
  const BREAKAGES: Record<
    string,
    { break(): Promise<unknown>; mend(): Promise<unknown>; detail: RegExp }
  > = {
    "is read-only (25006)": {
      break: () => alter("SET default_transaction_read_only = on"),
      mend: () => alter("RESET default_transaction_read_only"),
      detail: /^The database is read-only/,
    },
    "has a full disk (53100)": {
      break: () =>
        execute(
          primary.url,
          `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
          CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON nodes FOR EACH STATEMENT EXECUTE FUNCTION fill();
          CREATE TRIGGER fill BEFORE UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION fill()`,
        ),
      mend: () => execute(primary.url, "DROP FUNCTION fill CASCADE"),
      detail: /^refuses writes, because its disk is full: could not extend file/,
    },
  };

  test.each(Object.entries(BREAKAGES))("is not ready while PostgreSQL %s", async (_, {
    break: damage,
    mend,
    detail,
  }) => {
    await becomes(200);
    await damage();
    try {
      await becomes(503);
      const found = await database();
      expect([found.status, found.detail]).toEqual(["error", expect.stringMatching(detail)]);
      const { status, body } = await write();
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringMatching(/try again/)]);
    } finally {
      await mend();
    }
    await becomes(200);
    expect((await write()).status).toBe(200);
  });

  test("is not ready while PostgreSQL waits for a lost standby before it commits", async () => {
    await becomes(200);
    await alter("SET synchronous_standby_names = 'nobody'");
    await becomes(503);
    await alter("RESET synchronous_standby_names");
    await becomes(200);
  });

  test("is not ready while Redis refuses writes", async () => {
    await becomes(200);
    await sendCommand(redis.port, "CONFIG SET min-replicas-to-write 1");
    await becomes(503);
    await sendCommand(redis.port, "CONFIG SET min-replicas-to-write 0");
    await becomes(200);
  });

  test("checks once a second, however often it is asked", async () => {
    const commands = async () =>
      Number(
        /calls=(\d+)/.exec(
          (await sendCommand(redis.port, "INFO commandstats")).split("cmdstat_xadd:")[1] ?? "",
        )?.[1],
      );
    const before = await commands();
    const began = Date.now();
    const statuses = await Promise.all(Array.from({ length: 200 }, readiness));
    const seconds = Math.ceil((Date.now() - began) / 1_000);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await commands()) - before).toBeLessThanOrEqual(1 + seconds);
  });

  test("does not start on a standby, and a tool does not migrate one", async () => {
    const config = readConfig({ DATABASE_URL: standby.url, SECRET_KEY });
    await expect(openStore({ config, log, isNode: true })).rejects.toThrow(new Error(READ_ONLY));
    await expect(migrateStore(config, log)).rejects.toThrow(new Error(READ_ONLY));
  });

  test("follows its address to the new primary after a fail-over, with every connection", async () => {
    await becomes(200);
    await alter("SET default_transaction_read_only = on");
    // An answer from before is reused for a second.
    await becomes(503);
    await execute(standby.url, "SELECT pg_promote()");
    proxy.redirect(Number(new URL(standby.url).port));
    await becomes(200);
    await eventually(async () => {
      expect((await write()).status).toBe(200);
      const ports = await Promise.all(
        Array.from({ length: 20 }, () =>
          node.sql("SELECT inet_server_port() AS port, pg_sleep(0.05)"),
        ),
      );
      expect(new Set(ports.map(([row]) => row?.port))).toEqual(
        new Set([Number(new URL(standby.url).port)]),
      );
    });
    const locks = "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory'";
    await eventually(async () => {
      expect(await execute(primary.url, locks)).toEqual([{ count: 0 }]);
      expect(await execute(standby.url, locks)).toEqual([{ count: 1 }]);
    });
  });
});
