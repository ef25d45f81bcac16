import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PgBoss from "pg-boss";
import { openLog } from "../../src/core/log";
import { CALL_JOBS } from "../../src/domain/calls/history/history-deps";
import { PUSH_JOBS } from "../../src/domain/push/deps/push-deps";
import { migrate, resolveMigration } from "../../src/platform/store/migrate";
import type { MigrationConnection } from "../../src/platform/store/migration/stoppable-connection";
import { type Migration, readMigrations } from "../../src/platform/store/migrations";
import { UnusableDatabaseError } from "../../src/platform/store/unusable-database-error";
import { hasServices } from "../support/operations/database";
import {
  MIGRATION_DATABASE,
  type MigrationDatabase,
} from "../support/operations/migration-database";
import { sample } from "../support/operations/migrations";

const log = openLog("silent");
const draft = () => mkdtemp(join(tmpdir(), "signalbox-migrations-"));

const FIRST = {
  name: "1_first",
  script: "CREATE TABLE a (id INT PRIMARY KEY);\nINSERT INTO a VALUES (1);",
};
const SECOND = { name: "2_second", script: "ALTER TABLE a ADD COLUMN b TEXT;" };
const FAILING = {
  name: "2_second",
  script: "ALTER TABLE a ADD COLUMN b TEXT;\nINSERT INTO a VALUES (1);",
};

describe(`migrating the ${MIGRATION_DATABASE.name} database`, () => {
  let server: MigrationDatabase;
  let connection: MigrationConnection;
  beforeAll(async () => {
    server = await MIGRATION_DATABASE.open();
    connection = server.connection;
  });
  beforeEach(() => connection.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public"));
  afterAll(() => server.close());

  const history = () =>
    connection.query<{ name: string; done: boolean; steps: number; logs: string | null }>(
      `SELECT migration_name AS name, finished_at IS NOT NULL AS done, applied_steps_count AS steps, logs
         FROM _prisma_migrations ORDER BY started_at, id`,
    );
  const refused = async (migrations: Migration[]): Promise<string> => {
    const error: unknown = await migrate(connection, migrations, log).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UnusableDatabaseError);
    return String(error);
  };
  const columns = async () =>
    (
      await connection.query<{ name: string }>(
        "SELECT column_name::text AS name FROM information_schema.columns WHERE table_name = 'a'",
      )
    ).map((row) => row.name);

  test("runs pending migrations once, in order", async () => {
    expect(await migrate(connection, sample(FIRST), log)).toEqual(["1_first"]);
    expect(await migrate(connection, sample(FIRST, SECOND), log)).toEqual(["2_second"]);
    expect(await migrate(connection, sample(FIRST, SECOND), log)).toEqual([]);
    expect(await history()).toEqual([
      { name: "1_first", done: true, steps: 1, logs: null },
      { name: "2_second", done: true, steps: 1, logs: null },
    ]);
    expect(await columns()).toEqual(["id", "b"]);
  });

  test("the real migrations run", async () => {
    const migrations = await readMigrations();
    expect(await migrate(connection, migrations, log)).toEqual(migrations.map((m) => m.name));
    expect(await migrate(connection, migrations, log)).toEqual([]);
  });

  test("account_members makes each account's address and password those of an owner, with its sessions", async () => {
    const migrations = await readMigrations();
    const index = migrations.findIndex(({ name }) => name.endsWith("_account_members"));
    await migrate(connection, migrations.slice(0, index), log);
    await connection.exec(`INSERT INTO accounts (id, name, account_key, email, password_hash, updated_at) VALUES
        (1, 'a', 'a', 'a@example.com', 'hash of a', now()), (2, 'b', 'b', 'b@example.com', 'hash of b', now()),
        (3, 'without an address', 'c', NULL, NULL, now()),
        (4, 'without a password', 'd', 'd@example.com', NULL, now());
      INSERT INTO account_sessions (id, account_id, token_hash, expires_at, last_activity_at)
        SELECT id, id, sha256(name::bytea), '2030-01-01', '2029-01-01' FROM accounts`);
    await migrate(connection, migrations, log);
    const members = await connection.query(
      "SELECT account_id::int, email, password_hash, role::text, last_activity_at FROM account_members ORDER BY account_id",
    );
    const rest = { role: "owner", last_activity_at: new Date("2029-01-01T00:00:00Z") };
    expect(members).toEqual([
      { account_id: 1, email: "a@example.com", password_hash: "hash of a", ...rest },
      { account_id: 2, email: "b@example.com", password_hash: "hash of b", ...rest },
    ]);
    const sessions = await connection.query(
      "SELECT s.id::int, m.account_id::int FROM account_sessions s JOIN account_members m ON m.id = s.member_id ORDER BY s.id",
    );
    expect(sessions).toEqual([
      { id: 1, account_id: 1 },
      { id: 2, account_id: 2 },
    ]);
    expect(await connection.query("SELECT id FROM account_sessions")).toHaveLength(2);
  });

  test("ending_conferences keeps conferences of before open", async () => {
    const migrations = await readMigrations();
    const index = migrations.findIndex(({ name }) => name.endsWith("_ending_conferences"));
    await migrate(connection, migrations.slice(0, index), log);
    await connection.exec(`INSERT INTO accounts (id, name, account_key, updated_at) VALUES (1, 'a', 'a', now());
      INSERT INTO applications (id, account_id, name, auth_key, auth_secret, web_origins, updated_at)
        VALUES (1, 1, 'x', 'k', 's', '{}', now());
      INSERT INTO conferences (id, application_id, name, seats, video, access, origin, bitrate, empty_since)
        VALUES (1, 1, 'a', 12, true, 'everyone', 'graphql', 600000, '2020-01-01')`);
    await migrate(connection, migrations, log);
    expect(
      await connection.query("SELECT empty_after_seconds, closes_at, closed_at FROM conferences"),
    ).toEqual([{ empty_after_seconds: 0, closes_at: null, closed_at: null }]);
  });

  test("link_creators gives links of before to the creators of their conferences, and their guests an end", async () => {
    const migrations = await readMigrations();
    const index = migrations.findIndex(({ name }) => name.endsWith("_link_creators"));
    await migrate(connection, migrations.slice(0, index), log);
    await connection.exec(`INSERT INTO accounts (id, name, account_key, updated_at) VALUES (1, 'a', 'a', now());
      INSERT INTO applications (id, account_id, name, auth_key, auth_secret, web_origins, updated_at)
        VALUES (1, 1, 'x', 'k', 's', '{}', now());
      INSERT INTO users (id, application_id, blocked_at, updated_at) VALUES (1, 1, NULL, now()), (2, 1, now(), now());
      INSERT INTO conferences (id, application_id, name, seats, video, access, origin, bitrate, created_by)
        SELECT id, 1, id, 12, true, 'everyone', 'graphql', 600000, NULLIF(id, 3) FROM generate_series(1, 3) id;
      INSERT INTO conference_links (id, conference_id, secret_hash, expires_at, max_uses)
        SELECT id, least(id, 3), sha256(id::text::bytea),
          CASE id WHEN 1 THEN '2030-01-01T01:00:00Z' ELSE '2030-02-01T00:00:00Z' END::timestamptz, 5
        FROM generate_series(1, 4) id;
      UPDATE conference_links SET conference_id = 1 WHERE id = 4;
      INSERT INTO conference_guests (id, conference_id, link_id, name, token_hash, created_at)
        SELECT 10 + id, conference_id, id, 'g', secret_hash, '2030-01-01' FROM conference_links;`);
    await migrate(connection, migrations, log);
    const links = await connection.query(
      "SELECT id::int, created_by::int, created_by_member FROM conference_links ORDER BY id",
    );
    const nobody = { created_by: null, created_by_member: null };
    expect(links).toEqual([
      { id: 1, created_by: 1, created_by_member: null },
      // Of a blocked user, and of one who has been erased.
      { id: 2, ...nobody },
      { id: 3, ...nobody },
      { id: 4, created_by: 1, created_by_member: null },
    ]);
    const guests = await connection.query(
      "SELECT id::int, expires_at, expires_at <= now() AS over FROM conference_guests ORDER BY id",
    );
    expect(guests).toEqual([
      { id: 11, expires_at: new Date("2030-01-01T01:00:00Z"), over: false },
      { id: 12, expires_at: expect.any(Date), over: true },
      { id: 13, expires_at: expect.any(Date), over: true },
      { id: 14, expires_at: new Date("2030-01-02T00:00:00Z"), over: false },
    ]);
  });

  test("a failed migration is rolled back and recorded, and blocks later ones until it is resolved", async () => {
    await migrate(connection, sample(FIRST), log);
    expect(await refused(sample(FIRST, FAILING))).toMatch(
      /2_second failed and was rolled back: duplicate key .*SQLSTATE 23505/,
    );
    expect(await columns()).toEqual(["id"]);
    expect((await history())[1]).toMatchObject({
      name: "2_second",
      done: false,
      steps: 0,
      logs: expect.stringContaining("duplicate key"),
    });
    expect(await refused(sample(FIRST, SECOND))).toMatch(
      /2_second failed .* earlier[\s\S]*duplicate key[\s\S]*signalbox migrate --rolled-back 2_second/,
    );
    expect(await resolveMigration(connection, "2_second", "rolled-back")).toBe(true);
    expect(await resolveMigration(connection, "2_second", "rolled-back")).toBe(false);
    expect(await migrate(connection, sample(FIRST, SECOND), log)).toEqual(["2_second"]);
    expect(await columns()).toEqual(["id", "b"]);
  });

  /** The connection, on which the script of the second migration fails with these codes, one after the other. */
  const failingWith = (...codes: string[]): MigrationConnection => ({
    ...connection,
    exec: async (sql) => {
      const code = sql === SECOND.script ? codes.shift() : undefined;
      if (code === undefined) return connection.exec(sql);
      const raise = `DO $$ BEGIN RAISE 'interrupted' USING ERRCODE = '${code}'; END $$`;
      return connection.exec(`${sql}\n${raise}`);
    },
  });

  test.each([
    "40001",
    "53100",
    "57014",
  ])("a migration that the server interrupts with %s is rolled back without a record", async (code) => {
    await migrate(connection, sample(FIRST), log);
    const interrupted = migrate(failingWith(code), sample(FIRST, SECOND), log);
    await expect(interrupted).rejects.toThrow(UnusableDatabaseError);
    await expect(interrupted).rejects.toThrow(
      `2_second was interrupted and rolled back: interrupted (SQLSTATE ${code})`,
    );
    expect(await columns()).toEqual(["id"]);
    expect(await history()).toHaveLength(1);
    expect(await migrate(connection, sample(FIRST, SECOND), log)).toEqual(["2_second"]);
  });

  test("a migration is tried again after a deadlock and while a lock is not available, for five minutes", async () => {
    await migrate(connection, sample(FIRST), log);
    const retried = failingWith("40P01", "55P03");
    expect(await migrate(retried, sample(FIRST, SECOND), log)).toEqual(["2_second"]);
    expect(await columns()).toEqual(["id", "b"]);

    await connection.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await migrate(connection, sample(FIRST), log);
    const later = performance.now() + 300_001;
    const start = performance.now();
    const now = jest.spyOn(performance, "now").mockReturnValueOnce(start).mockReturnValue(later);
    try {
      await expect(migrate(failingWith("55P03"), sample(FIRST, SECOND), log)).rejects.toThrow(
        /2_second was interrupted .*55P03\)\nAnother transaction holds a lock/,
      );
    } finally {
      now.mockRestore();
    }
    expect(await history()).toHaveLength(1);
  });

  test("a script that controls transactions is refused before anything runs", async () => {
    const script = `${SECOND.script}\n-- why\ncommit;`;
    expect(await refused(sample(FIRST, { name: "2_second", script }))).toMatch(
      /2_second controls transactions \("commit"\)/,
    );
    expect(await columns()).toEqual([]);
  });

  test("every migration that an earlier version left unfinished is completed, applied or not", async () => {
    const migrations = await readMigrations();
    const unfinished = `UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0, logs = NULL
      WHERE migration_name = $1 AND rolled_back_at IS NULL`;
    await migrate(connection, [], log);
    for (const [index, { name, checksum }] of migrations.entries()) {
      const until = migrations.slice(0, index + 1);
      await connection.query(
        "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)",
        [`killed ${index}`, checksum, name],
      );
      // Its process died before the script was committed.
      expect(await migrate(connection, until, log)).toEqual([name]);
      // Its process died afterwards.
      await connection.query(unfinished, [name]);
      expect(await migrate(connection, until, log)).toEqual([]);
    }
    const rows = await connection.query<{ name: string; done: boolean }>(
      `SELECT migration_name AS name, finished_at IS NOT NULL AND applied_steps_count = 1 AS done
         FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
    );
    expect(rows).toEqual(migrations.map(({ name }) => ({ name, done: true })));
  });

  test("a migration whose process died, and which leaves no trace in the schema, blocks later ones until it is resolved", async () => {
    await migrate(connection, sample(FIRST), log);
    await connection.exec(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'y', '2_second')",
    );
    const [, unclear] = sample(FIRST, { name: "2_second", script: "UPDATE a SET id = id + 1;" });
    await connection.query("UPDATE _prisma_migrations SET checksum = $1 WHERE id = 'x'", [
      unclear!.checksum,
    ]);
    expect(await refused([...sample(FIRST), unclear!])).toMatch(
      /was started .* process ended .*--applied 2_second/,
    );
    await connection.exec("UPDATE _prisma_migrations SET checksum = 'y' WHERE id = 'x'");
    expect(await refused(sample(FIRST, SECOND))).toMatch(
      /was started .* process ended .*--applied 2_second/,
    );
    expect(await resolveMigration(connection, "2_second", "applied")).toBe(true);
    expect(await refused(sample(FIRST, SECOND))).toMatch(/changed after it was applied/);
    const [first, second] = sample(FIRST, SECOND);
    expect(await migrate(connection, [first!, { ...second!, checksum: "y" }], log)).toEqual([]);
  });

  test("an edited migration is rejected; other line endings are accepted", async () => {
    const copy = await draft();
    const path = join(copy, "1_first");
    await mkdir(path);
    const write = (script: string) => writeFile(join(path, "migration.sql"), script);
    await write(FIRST.script);
    await migrate(connection, await readMigrations(copy), log);
    await write(FIRST.script.replaceAll("\n", "\r\n"));
    expect(await migrate(connection, await readMigrations(copy), log)).toEqual([]);
    await write(`${FIRST.script}\n-- edited`);
    expect(await refused(await readMigrations(copy))).toMatch(
      /1_first was changed after it was applied/,
    );
    await rm(copy, { recursive: true });
  });

  test("a migration that this version does not know is rejected", async () => {
    await migrate(connection, sample(FIRST, SECOND), log);
    expect(await refused(sample(FIRST))).toMatch(/2_second, which this version does not know/);
  });

  test("a version runs after migrations of newer ones that only add, or that say so", async () => {
    const adding = { name: "3_third", script: "ALTER TABLE a ADD COLUMN c TEXT;" };
    // The form that Prisma writes is known.
    const quoted = { ...adding, script: 'ALTER TABLE "a" ADD COLUMN "c" TEXT;' };
    const removing = { name: "4_fourth", script: 'ALTER TABLE "a" DROP COLUMN "b";' };
    const needing = { ...removing, script: `-- Needs: 2_second\n${removing.script}` };
    const anybody = { ...removing, script: `-- Needs: nothing\n${removing.script}` };

    await migrate(connection, sample(FIRST, SECOND, quoted, needing), log);
    const warn = jest.spyOn(log, "warn");
    expect(await migrate(connection, sample(FIRST, SECOND), log)).toEqual([]);
    expect(warn.mock.calls).toEqual([
      [{ migrations: ["3_third", "4_fourth"] }, expect.stringContaining("runs on its schema")],
    ]);
    warn.mockRestore();
    expect(await refused(sample(FIRST))).toMatch(/2_second, which this version does not know/);
    // The newer version knows them as before.
    expect(await migrate(connection, sample(FIRST, SECOND, quoted, needing), log)).toEqual([]);

    for (const [script, isAccepted] of [
      [quoted, true],
      [anybody, true],
      [adding, false],
      [removing, false],
    ] as const) {
      await connection.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      await migrate(connection, sample(FIRST, SECOND, script), log);
      const result = migrate(connection, sample(FIRST, SECOND), log);
      await (isAccepted
        ? expect(result).resolves.toEqual([])
        : expect(result).rejects.toThrow("cannot run on it"));
    }
  });

  test("of a newer version that failed, the migration blocks earlier versions", async () => {
    await migrate(connection, sample(FIRST), log);
    await refused(sample(FIRST, FAILING));
    expect(await refused(sample(FIRST))).toMatch(/2_second failed on this database earlier/);
  });

  test("a database with other tables is rejected and left unchanged", async () => {
    await connection.exec("CREATE TABLE a (other TEXT)");
    expect(await refused(sample(FIRST))).toMatch(/no migration history of this service/);
    expect(await columns()).toEqual(["other"]);
  });

  test("releases the lock, even after a failure", async () => {
    const held = async () =>
      (
        await connection.query(
          "SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
        )
      ).length;
    await migrate(connection, sample(FIRST), log);
    expect(await held()).toBe(0);
    await refused(sample(FIRST, FAILING));
    expect(await held()).toBe(0);
  });

  test("jobs that wait in a queue of an old name move to the queue of its new one", async () => {
    const migrations = await readMigrations();
    const renaming = migrations.findIndex(({ name }) => name.endsWith("_incoming_call_push_names"));
    expect(renaming).toBeGreaterThan(0);
    await migrate(connection, migrations.slice(0, renaming), log);
    await connection.exec(`DROP SCHEMA IF EXISTS pgboss CASCADE;
      ${PgBoss.getConstructionPlans("pgboss")}`);
    for (const queue of ["call-wake", "push-expand", "push-due"]) {
      await connection.query("SELECT pgboss.create_queue($1, $2)", [
        queue,
        '{"policy":"standard"}',
      ]);
    }
    const data = [
      ["call-wake", "created", { wakes: [{ callId: 1, userId: 2 }] }],
      ["call-wake", "retry", { wakes: [] }],
      ["push-expand", "active", { event: 3 }],
      ["push-due", "created", {}],
    ] as const;
    for (const [name, state, job] of data) {
      await connection.query(
        "INSERT INTO pgboss.job (name, state, data) VALUES ($1, $2::pgboss.job_state, $3::text::jsonb)",
        [name, state, JSON.stringify(job)],
      );
    }
    await migrate(connection, migrations, log);
    expect(
      await connection.query("SELECT name, state::text, data FROM pgboss.job ORDER BY name, state"),
    ).toEqual([
      {
        name: CALL_JOBS.incomingCallPush,
        state: "created",
        data: { pushes: [{ callId: 1, userId: 2 }] },
      },
      { name: CALL_JOBS.incomingCallPush, state: "retry", data: { pushes: [] } },
      { name: PUSH_JOBS.due, state: "created", data: {} },
      { name: PUSH_JOBS.fanOut, state: "active", data: { event: 3 } },
    ]);
    expect(await connection.query("SELECT name FROM pgboss.queue ORDER BY name")).toEqual(
      [CALL_JOBS.incomingCallPush, PUSH_JOBS.due, PUSH_JOBS.fanOut].map((name) => ({ name })),
    );
    await connection.exec("DROP SCHEMA pgboss CASCADE");
  });

  (hasServices ? test : test.skip)(
    "a migration waits for a lock that a dump holds, and lets other statements run meanwhile",
    async () => {
      await migrate(connection, sample(FIRST), log);
      const dump = await server.another?.();
      const node = await server.another?.();
      if (!dump || !node) throw new Error("no further connection");
      await dump.connection.exec("BEGIN; SELECT FROM a");
      const warn = jest.spyOn(log, "warn");
      const migrated = migrate(connection, sample(FIRST, SECOND), log);
      // It waits behind the migration until that is rolled back.
      while (warn.mock.calls.length === 0)
        await node.connection.exec("INSERT INTO a SELECT max(id) + 1 FROM a");
      await dump.connection.exec("COMMIT");
      expect(await migrated).toEqual(["2_second"]);
      warn.mockRestore();
      await dump.close();
      await node.close();
    },
  );

  // Two processes cannot use the embedded database.
  (hasServices ? test : test.skip)(
    "one of several processes migrates, and all of them succeed",
    async () => {
      const slow = { ...FIRST, script: `SELECT pg_sleep(0.3);\n${FIRST.script}` };
      const connections = await Promise.all(Array.from({ length: 5 }, () => server.another?.()));
      const ran = await Promise.all(
        connections.map(async (one) => {
          if (!one) throw new Error("no further connection");
          const names = await migrate(one.connection, sample(slow, SECOND), log);
          await one.close();
          return names;
        }),
      );
      expect(ran.filter((names) => names.length > 0)).toEqual([["1_first", "2_second"]]);
      expect(await history()).toHaveLength(2);
    },
  );
});
