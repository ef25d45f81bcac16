import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { writeMigration } from "../../../scripts/migration";
import {
  MemoryDatabases,
  migrationsDiff,
  openEngine,
  toEngineMigrations,
} from "../../../scripts/schema-engine";
import { openLog } from "../../../src/core/log";
import { migrate } from "../../../src/platform/store/migrate";
import { embeddedConnection } from "../../../src/platform/store/migration-connection";
import {
  type Migration,
  migrationsFolder,
  readMigrations,
} from "../../../src/platform/store/migrations";
import { UnusableDatabaseError } from "../../../src/platform/store/unusable-database-error";
import { sample } from "../../support/operations/migrations";

const log = openLog("silent");
const folder = migrationsFolder();
const schema = () => readFile(join(folder, "..", "schema.prisma"), "utf8");
const draft = () => mkdtemp(join(tmpdir(), "signalbox-migrations-"));

describe("prisma/migrations", () => {
  const databases = new MemoryDatabases();
  const diff = (path: string, text: string) => migrationsDiff(path, text, databases);
  afterAll(() => databases.close());

  test("match schema.prisma, and changes of the model are detected", async () => {
    const text = await schema();
    expect(await diff(folder, text)).toBeNull();
    const changed = text.replace("model Account {", "model Account {\n  motto String?");
    expect(await diff(folder, changed)).toBe(
      '-- AlterTable\nALTER TABLE "accounts" ADD COLUMN     "motto" TEXT;\n',
    );
    // An index with a raw operator class, which the schema engine alone always reports as changed.
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

  test("a new one is written only if the model has changed", async () => {
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
      UnusableDatabaseError,
    );
    await rm(copy, { recursive: true });
  });

  test("leave a history that Prisma's own engine accepts, including failures", async () => {
    const lite = await PGlite.create();
    const migrations = await readMigrations();
    await migrate(embeddedConnection(lite), migrations, log);
    const engine = await openEngine(await schema(), new MemoryDatabases(lite));
    const diagnose = (list: Migration[]) =>
      engine.diagnoseMigrationHistory({
        migrationsList: toEngineMigrations(folder, list),
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
    await expect(migrate(embeddedConnection(lite), broken, log)).rejects.toThrow(
      UnusableDatabaseError,
    );
    expect(await diagnose(broken)).toMatchObject({
      failedMigrationNames: ["20990101000000_broken"],
    });
    await lite.close();
  });
});
