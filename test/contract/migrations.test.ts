import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { writeMigration } from "../../scripts/migration";
import { listOf, MemoryDatabases, migrationsDiff, openEngine } from "../../scripts/schema-engine";
import { openLog } from "../../src/core/log";
import { type MigrationConnection, migrate, resolveMigration } from "../../src/store/migrate";
import { embeddedConnection, serverConnection } from "../../src/store/migration-connection";
import { type Migration, migrationsFolder, readMigrations } from "../../src/store/migrations";
import { Refusal } from "../../src/store/refusal";
import { type FreshDatabase, freshServices, hasServices } from "../support/database";

const log = openLog("silent");
const folder = migrationsFolder();
const schema = () => readFile(join(folder, "..", "schema.prisma"), "utf8");
const draft = () => mkdtemp(join(tmpdir(), "signalbox-migrations-"));

describe("prisma/migrations", () => {
  const databases = new MemoryDatabases();
  const diff = (path: string, text: string) => migrationsDiff(path, text, databases);
  afterAll(() => databases.close());

  test("make what schema.prisma says, and a changed model shows", async () => {
    const text = await schema();
    expect(await diff(folder, text)).toBeNull();
    const changed = text.replace("model Account {", "model Account {\n  motto String?");
    expect(await diff(folder, changed)).toBe(
      '-- AlterTable\nALTER TABLE "accounts" ADD COLUMN     "motto" TEXT;\n',
    );
    // An index with a raw operator class, which the engine by itself finds changed at all times.
    const index = /^ *@@index\(.*map: "users_phone_idx"\)$/m;
    expect(text).toMatch(index);
    expect(await diff(folder, text.replace(index, ""))).toContain('DROP INDEX "users_phone_idx"');
    const moved = text.replace(
      /phone\(ops: raw\("text_pattern_ops"\)\)/,
      'website(ops: raw("text_pattern_ops"))',
    );
    expect(await diff(folder, moved)).toContain(
      'CREATE INDEX "users_phone_idx" ON "users"("application_id", "website" text_pattern_ops)',
    );
  });

  test("a new one is written for a change, and none for no change", async () => {
    const copy = await draft();
    await cp(folder, copy, { recursive: true });
    const before = await readdir(copy);
    const now = new Date("2027-01-02T03:04:05.678Z");
    const text = await schema();
    expect(await writeMigration("nothing", copy, text, now, databases)).toMatch(/^No change/);
    expect(await readdir(copy)).toEqual(before);
    const changed = text.replace("model Account {", "model Account {\n  motto String?");
    await writeMigration("add_motto", copy, changed, now, databases);
    expect(await readFile(join(copy, "20270102030405_add_motto", "migration.sql"), "utf8")).toMatch(
      /ADD COLUMN +"motto" TEXT/,
    );
    expect(await diff(copy, changed)).toBeNull();
    await expect(writeMigration("Bad Name", copy, changed, now, databases)).rejects.toThrow(
      Refusal,
    );
    await rm(copy, { recursive: true });
  });

  test("leave a history that Prisma's own engine agrees with, failures included", async () => {
    const lite = await PGlite.create();
    const migrations = await readMigrations();
    await migrate(embeddedConnection(lite), migrations, log);
    const engine = await openEngine(await schema(), new MemoryDatabases(lite));
    const diagnose = (list: Migration[]) =>
      engine.diagnoseMigrationHistory({
        migrationsList: listOf(folder, list),
        optInToShadowDatabase: false,
        filters: { externalTables: [], externalEnums: [] },
      });
    expect(await diagnose(migrations)).toMatchObject({
      hasMigrationsTable: true,
      history: null,
      editedMigrationNames: [],
      failedMigrationNames: [],
    });
    const broken = [
      ...migrations,
      ...sample({ name: "20990101000000_broken", script: "SELECT broken" }),
    ];
    await expect(migrate(embeddedConnection(lite), broken, log)).rejects.toThrow(Refusal);
    expect(await diagnose(broken)).toMatchObject({
      failedMigrationNames: ["20990101000000_broken"],
    });
    await lite.close();
  });
});

/** Migrations as a folder would hold them. */
function sample(...parts: { name: string; script: string }[]): Migration[] {
  return parts.map((part) => ({
    ...part,
    checksum: createHash("sha256").update(part.script).digest("hex"),
    otherChecksums: [],
  }));
}

const FIRST = {
  name: "1_first",
  script: "CREATE TABLE a (id INT PRIMARY KEY);\nINSERT INTO a VALUES (1);",
};
const SECOND = { name: "2_second", script: "ALTER TABLE a ADD COLUMN b TEXT;" };
const FAILING = {
  name: "2_second",
  script: "ALTER TABLE a ADD COLUMN b TEXT;\nINSERT INTO a VALUES (1);",
};

interface Server {
  connection: MigrationConnection;
  /** Another connection to the same database, where there can be one. */
  another?(): Promise<{ connection: MigrationConnection; close(): Promise<void> }>;
  close(): Promise<void>;
}

const DATABASES: { name: string; open(): Promise<Server> }[] = [
  {
    name: "embedded",
    open: async () => {
      const lite = await PGlite.create();
      return { connection: embeddedConnection(lite), close: () => lite.close() };
    },
  },
];
if (hasServices) {
  DATABASES.push({
    name: "postgresql",
    open: async () => {
      const database: FreshDatabase = await freshServices("template0");
      const another = () => serverConnection(database.environment.DATABASE_URL ?? "");
      const { connection, close } = await another();
      return {
        connection,
        another,
        close: async () => {
          await close();
          await database.remove();
        },
      };
    },
  });
}

describe.each(DATABASES)("migrating the $name database", ({ name, open }) => {
  let server: Server;
  let connection: MigrationConnection;
  beforeAll(async () => {
    server = await open();
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
    expect(error).toBeInstanceOf(Refusal);
    return String(error);
  };
  const columns = async () =>
    (
      await connection.query<{ name: string }>(
        "SELECT column_name::text AS name FROM information_schema.columns WHERE table_name = 'a'",
      )
    ).map((row) => row.name);

  test("runs what is missing, in order, once", async () => {
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

  test("a failed one leaves nothing, is recorded, and is in the way until that is resolved", async () => {
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
      /2_second failed .* earlier[\s\S]*duplicate key[\s\S]*npm run migration -- --rolled-back 2_second/,
    );
    expect(await resolveMigration(connection, "2_second", "rolled-back")).toBe(true);
    expect(await resolveMigration(connection, "2_second", "rolled-back")).toBe(false);
    expect(await migrate(connection, sample(FIRST, SECOND), log)).toEqual(["2_second"]);
    expect(await columns()).toEqual(["id", "b"]);
  });

  test("a script with a transaction of its own that fails is recorded as well", async () => {
    await migrate(connection, sample(FIRST), log);
    const script = `BEGIN;\n${FAILING.script}\nCOMMIT;`;
    await refused(sample(FIRST, { name: "2_second", script }));
    expect(await columns()).toEqual(["id"]);
    expect((await history())[1]?.logs).toMatch(/duplicate key/);
  });

  test("one whose process ended in the middle is in the way until it is known what became of it", async () => {
    await migrate(connection, sample(FIRST), log);
    await connection.exec(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'y', '2_second')",
    );
    expect(await refused(sample(FIRST, SECOND))).toMatch(
      /began .* process ended .*--applied 2_second/,
    );
    expect(await resolveMigration(connection, "2_second", "applied")).toBe(true);
    expect(await refused(sample(FIRST, SECOND))).toMatch(/changed after it ran/);
    const [first, second] = sample(FIRST, SECOND);
    expect(await migrate(connection, [first!, { ...second!, checksum: "y" }], log)).toEqual([]);
  });

  test("an edited one is refused; other line ends are no edit", async () => {
    const copy = await draft();
    const path = join(copy, "1_first");
    await mkdir(path);
    const write = (script: string) => writeFile(join(path, "migration.sql"), script);
    await write(FIRST.script);
    await migrate(connection, await readMigrations(copy), log);
    await write(FIRST.script.replaceAll("\n", "\r\n"));
    expect(await migrate(connection, await readMigrations(copy), log)).toEqual([]);
    await write(`${FIRST.script}\n-- edited`);
    expect(await refused(await readMigrations(copy))).toMatch(/1_first was changed after it ran/);
    await rm(copy, { recursive: true });
  });

  test("one that this version does not know is refused", async () => {
    await migrate(connection, sample(FIRST, SECOND), log);
    expect(await refused(sample(FIRST))).toMatch(/2_second, which this version does not know/);
  });

  test("a database that holds something else is refused and left as it is", async () => {
    await connection.exec("CREATE TABLE a (other TEXT)");
    expect(await refused(sample(FIRST))).toMatch(/no record of this service's migrations/);
    expect(await columns()).toEqual(["other"]);
  });

  test("gives the lock back, whatever happened", async () => {
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

  // Two processes cannot have the embedded database.
  (name === "postgresql" ? test : test.skip)(
    "of many processes one works, and all end well",
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
