import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import { Client } from "pg";
import { openLog } from "../../src/core/log";
import { migrate } from "../../src/platform/store/migrate";
import {
  embeddedConnection,
  type OpenMigrationConnection,
  openServerConnection,
} from "../../src/platform/store/migration-connection";
import { closeAfterEach } from "../support/close-after-each";
import { eventually } from "../support/moving-clock";
import { startNode } from "../support/node";
import {
  describeEmbedded,
  describeServices,
  type FreshDatabase,
  freshServices,
} from "../support/operations/database";
import { afterEachStep, EndingProcess } from "../support/operations/ending-process";
import { COMPLETE, outcomeOf, TWO_MIGRATIONS } from "../support/operations/interrupted-migrations";
import { startProcess } from "../support/process";
import { embeddedTemplate } from "../support/template";

/**
 * A process that ends at any time of its migrations leaves each migration applied and recorded, or neither, and the
 * next process completes them.
 */

const log = openLog("silent");
const ROOT = resolve(__dirname, "../..");

describeServices("a process that migrates PostgreSQL and ends", () => {
  const close = closeAfterEach();
  let database: FreshDatabase;
  let url: string;
  let observer: OpenMigrationConnection;
  const info = jest.spyOn(log, "info");
  afterAll(() => info.mockRestore());
  beforeEach(async () => {
    database = await freshServices("template0");
    url = database.environment.DATABASE_URL ?? "";
    observer = await openServerConnection(url);
  });
  afterEach(async () => {
    await observer.close();
    await database.remove();
  });

  const connection = () => observer.connection;
  /** Resolves once a query of one row returns true. */
  const until = async (sql: string, values?: unknown[]): Promise<void> => {
    for (;;) {
      const [row] = await connection().query<{ ok: boolean }>(`SELECT (${sql}) AS ok`, values);
      if (row?.ok) return;
      await sleep(20);
    }
  };
  /** How many times the nodes of this process have logged a text. */
  const countLogged = (text: string) =>
    info.mock.calls.filter((parts) => (parts as unknown[]).includes(text)).length;
  const WAITING = "another process is migrating the database; waiting for it";
  const MIGRATING = "migrating the database";
  /** Whether a statement waits for the lock of a table. */
  const BLOCKED = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'relation' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;

  /** A node's part in the migrations. */
  async function migrateLikeANode(): Promise<string[]> {
    const opened = await openServerConnection(url);
    try {
      return await migrate(opened.connection, TWO_MIGRATIONS, log);
    } finally {
      await opened.close();
    }
  }

  test("at any boundary of a statement, leaves what the next process completes", async () => {
    const steps = await afterEachStep(async (lastStep) => {
      await connection().exec(
        "DROP SCHEMA public CASCADE; DROP SCHEMA IF EXISTS pgboss CASCADE; CREATE SCHEMA public",
      );
      const client = new Client({ connectionString: url });
      client.on("error", () => undefined);
      await client.connect();
      const lost = new Promise<void>((done) => client.once("end", done));
      const ending = new EndingProcess(lastStep, () => {
        // The server sees what it sees of a killed process: the connection is closed without a word.
        (
          client as unknown as { connection: { stream: { destroy(): void } } }
        ).connection.stream.destroy();
        return lost;
      });
      const ended = {
        exec: (sql: string) => ending.run(() => client.query(sql)),
        query: <Row>(sql: string, values?: unknown[]) =>
          ending.run(async () => (await client.query(sql, values)).rows as Row[]),
      };
      await migrate(ended, TWO_MIGRATIONS, log).catch(() => undefined);
      await client.end();
      await migrateLikeANode();
      const left = await outcomeOf(connection());
      expect({ lastStep, left }).toEqual({ lastStep, left: COMPLETE });
      return ending;
    });
    // The lock, two look-ups, the history table, four statements of each migration, and the release of the lock.
    expect(steps).toBe(12);
  });

  /** Blocks the second migration inside of its script, by the lock of a table. */
  async function blockSecondMigration(): Promise<Client> {
    await migrate(connection(), TWO_MIGRATIONS.slice(0, 1), log);
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    close({ close: () => blocker.end() });
    await blocker.query('BEGIN; LOCK TABLE "a" IN ACCESS EXCLUSIVE MODE');
    return blocker;
  }

  test.each([
    ["SIGKILL", "SIGKILL"],
    ["SIGTERM", 0],
  ] as const)("inside of a statement by %s, lets five other nodes complete it", async (signal, exit) => {
    const blocker = await blockSecondMigration();
    info.mockClear();
    const child = spawn(
      process.execPath,
      [
        ...["-r", join(ROOT, "tools/run-typescript.js")],
        ...[join(ROOT, "test/support/operations/migrate-process.ts"), url],
      ],
      { stdio: "inherit" },
    );
    const exited = new Promise((done) => {
      child.once("exit", (code, by) => done(code ?? by));
    });
    close({ close: async () => void child.kill("SIGKILL") });
    await until(BLOCKED);
    const others = Promise.all(Array.from({ length: 5 }, migrateLikeANode));
    await eventually(
      () => countLogged(WAITING),
      (count) => count === 5,
    );
    expect(countLogged(MIGRATING)).toBe(0);
    child.kill(signal);
    expect(await exited).toBe(exit);
    // The server releases the lock although the statement of the ended process still waits.
    await eventually(
      () => countLogged(MIGRATING),
      (count) => count === 1,
    );
    await until(BLOCKED);
    await blocker.query("COMMIT");
    expect((await others).flat()).toEqual(["2_second"]);
    expect(await outcomeOf(connection())).toEqual(COMPLETE);
  });

  test("as a whole service by SIGTERM, leaves the migration undone, and another node starts", async () => {
    const migrated = await freshServices();
    close({ close: migrated.remove });
    const { environment } = migrated;
    const direct = await openServerConnection(environment.DATABASE_URL ?? "");
    close({ close: direct.close });
    const name = "20261128000000_blocked_user_search";
    const { exec, query } = direct.connection;
    await exec('DROP INDEX "users_blocked_login_idx"; DROP INDEX "users_blocked_email_idx"');
    await query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [name]);
    const blocker = await openServerConnection(environment.DATABASE_URL ?? "");
    close({ close: blocker.close });
    await blocker.connection.exec('BEGIN; LOCK TABLE "users" IN ACCESS EXCLUSIVE MODE');
    const [self] = await blocker.connection.query<{ pid: number }>(
      "SELECT pg_backend_pid() AS pid",
    );
    const service = startProcess({ ...environment, LOG_LEVEL: "info" });
    close({ close: async () => void service.child.kill("SIGKILL") });
    await service.waitForOutput(/migrating the database/);
    const left = (sql: string) => query<{ count: number }>(`SELECT count(*)::int FROM ${sql}`);
    const backends = `pg_stat_activity WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), ${self?.pid})`;
    while ((await left(`${backends} AND wait_event_type = 'Lock'`))[0]?.count !== 1)
      await sleep(20);
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    expect(service.output()).not.toMatch(/\n +at /);
    // Before the lock of the table is released: the statement was cancelled, and nothing is left to run.
    expect(await left(backends)).toEqual([{ count: 0 }]);
    expect(await left(`_prisma_migrations WHERE migration_name = '${name}'`)).toEqual([
      { count: 0 },
    ]);
    await blocker.connection.exec("COMMIT");
    const node = await startNode(environment);
    await node.stop();
    expect(await left(`_prisma_migrations WHERE finished_at IS NULL`)).toEqual([{ count: 0 }]);
    expect(await left(`pg_indexes WHERE indexname LIKE 'users_blocked_%_idx'`)).toEqual([
      { count: 2 },
    ]);
  });
});

describeEmbedded("a process that migrates the embedded database and ends", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "signalbox-interrupted-"));
    const template = await embeddedTemplate();
    await copy(template, join(folder, "empty"));
    const lite = await PGlite.create({ dataDir: join(folder, "empty") });
    await lite.exec(
      "DROP SCHEMA public CASCADE; DROP SCHEMA IF EXISTS pgboss CASCADE; CREATE SCHEMA public",
    );
    await lite.close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  const copy = (from: string, to: string) => promisify(execFile)("cp", ["-R", from, to]);

  /** Opens what an ended process left, completes it and looks at it. */
  async function complete(dataDir: string): Promise<void> {
    const lite = await PGlite.create({ dataDir });
    const connection = embeddedConnection(lite);
    const { recorded, applied, unfinished } = await outcomeOf(connection);
    expect({ recorded, unfinished }).toEqual({ recorded: applied, unfinished: 0 });
    await migrate(connection, TWO_MIGRATIONS, log);
    expect(await outcomeOf(connection)).toEqual(COMPLETE);
    await lite.close();
    await rm(dataDir, { recursive: true });
  }

  test("at any change of its files, leaves what the next process completes", async () => {
    await copy(join(folder, "empty"), join(folder, "db"));
    const lite = await PGlite.create({ dataDir: join(folder, "db") });
    const { exec, query } = embeddedConnection(lite);
    const snapshots: string[] = [];
    // Its writes are system calls of this process, so the files are what a killed process would leave.
    const snapshot = async () => {
      const path = join(folder, `after ${snapshots.length + 1}`);
      await copy(join(folder, "db"), path);
      snapshots.push(path);
    };
    const writes = (sql: string) => !/^\s*(SELECT|SET)/i.test(sql);
    const recording = {
      exec: async (sql: string) => {
        await exec(sql);
        await snapshot();
      },
      query: async <Row>(sql: string, values?: unknown[]) => {
        const rows = await query<Row>(sql, values);
        if (writes(sql)) await snapshot();
        return rows;
      },
    };
    await migrate(recording, TWO_MIGRATIONS, log);
    await lite.close();
    // The history table, then BEGIN, script, record and COMMIT of each migration.
    expect(snapshots).toHaveLength(9);
    for (const path of snapshots) await complete(path);
  });

  test("inside of a statement, leaves what the next process completes", async () => {
    const dataDir = join(folder, "killed");
    await copy(join(folder, "empty"), dataDir);
    const child = spawn(
      process.execPath,
      [
        ...["-r", join(ROOT, "tools/run-typescript.js")],
        ...[join(ROOT, "test/support/operations/kill-in-statement.ts"), dataDir],
      ],
      { stdio: "inherit" },
    );
    const exited = await new Promise((done) => {
      child.once("exit", (code, signal) => done(signal ?? code));
    });
    expect(exited).toBe("SIGKILL");
    await complete(dataDir);
  });
});
