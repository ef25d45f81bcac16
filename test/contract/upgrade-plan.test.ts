import { openLog } from "../../src/core/log";
import { migrate } from "../../src/platform/store/migrate";
import type { MigrationConnection } from "../../src/platform/store/migration/stoppable-connection";
import { planUpgrade } from "../../src/platform/store/upgrade-plan";
import { toFindings } from "../../src/transports/cli/doctor/before-upgrade";
import {
  MIGRATION_DATABASE,
  type MigrationDatabase,
} from "../support/operations/migration-database";
import { sample } from "../support/operations/migrations";

/** What pending migrations will lock in a database in use. */

const log = openLog("silent");
const FIRST = {
  name: "1_first",
  script: `CREATE TABLE "large" ("id" INT PRIMARY KEY, "text" TEXT); CREATE TABLE "small" ("id" INT PRIMARY KEY);
    CREATE INDEX "small_idx" ON "small"("id");`,
};
const SECOND = {
  name: "2_second",
  script: `ALTER TABLE "large" ADD COLUMN "b" TEXT; CREATE INDEX "large_b" ON "large"("b"); DROP INDEX "small_idx";
    CREATE TABLE "new" ("id" INT); CREATE INDEX "new_idx" ON "new"("id");`,
};
const THIRD = {
  name: "3_third",
  script: `ALTER TABLE "new" ADD COLUMN "b" TEXT;`,
};
const FOURTH = {
  name: "4_fourth",
  script: `DO $$ BEGIN NULL; END $$;`,
};
const ALL = sample(FIRST, SECOND, THIRD, FOURTH);
const INDEX = { name: "large_text", table: "large", definition: '("text")' };

describe(`the plan of an upgrade of the ${MIGRATION_DATABASE.name} database`, () => {
  let server: MigrationDatabase;
  let connection: MigrationConnection;
  beforeAll(async () => {
    server = await MIGRATION_DATABASE.open();
    connection = server.connection;
  });
  afterAll(() => server.close());

  test("of an empty database locks nothing", async () => {
    const plan = await planUpgrade(connection, ALL, []);
    expect(plan.isEmpty).toBe(true);
    expect(toFindings(plan)).toEqual([
      { check: "migrations", status: "ok", detail: expect.stringContaining("empty") },
    ]);
  });

  test("has the locks of each statement, the sizes of their tables, and how long they are held", async () => {
    await migrate(connection, ALL.slice(0, 1), log);
    await connection.exec(`INSERT INTO "large" SELECT n, repeat('x', 100) FROM generate_series(1, 20000) n;
      INSERT INTO "small" VALUES (1); ANALYZE "large"`);
    const plan = await planUpgrade(connection, ALL, [INDEX]);
    const [second, third, fourth] = plan.migrations;
    const large = { name: "large", rows: 20_000, bytes: expect.any(Number) };
    const small = { name: "small", rows: null, bytes: expect.any(Number) };
    expect(second?.statements.map(({ locks }) => locks)).toEqual([
      [{ lock: "ACCESS EXCLUSIVE", table: large, work: "catalogs", seconds: 0 }],
      [{ lock: "SHARE", table: large, work: "index", seconds: expect.any(Number) }],
      [{ lock: "ACCESS EXCLUSIVE", table: small, work: "catalogs", seconds: 0 }],
      [],
      [],
    ]);
    const seconds = second?.statements[1]?.locks[0]?.seconds ?? 0;
    expect(seconds).toBeGreaterThan(0.01);
    // The first statement's lock is held while the index is built.
    expect(second?.held).toEqual(
      expect.arrayContaining([
        { table: "large", lock: "ACCESS EXCLUSIVE", seconds },
        { table: "small", lock: "ACCESS EXCLUSIVE", seconds: 0 },
      ]),
    );
    expect(third?.statements).toEqual([expect.objectContaining({ known: true, locks: [] })]);
    expect(fourth?.statements).toEqual([expect.objectContaining({ known: false, locks: [] })]);
    expect(plan.indexes).toEqual([
      { name: "large_text", lock: expect.objectContaining({ lock: "SHARE UPDATE EXCLUSIVE" }) },
    ]);

    expect(toFindings(plan).map(({ status, detail }) => [status, detail])).toEqual([
      ["ok", "3 migrations pending"],
      [
        "ok",
        expect.stringMatching(
          /^2_second: ALTER TABLE "large" ADD COLUMN "b" TEXT \(ACCESS EXCLUSIVE on large, [34] MB with about 20,000 rows, reads no row\); CREATE INDEX .* \(SHARE on large, .*, builds an index, less than a second\); DROP INDEX "small_idx" \(ACCESS EXCLUSIVE on small, less than 1 MB, reads no row\)$/,
        ),
      ],
      ["ok", "3_third: locks no table in use"],
      ["warning", "4_fourth: DO '' (unknown)"],
      ["ok", expect.stringMatching(/^index large_text, while nodes write: SHARE UPDATE EXCLUSIVE/)],
    ]);
  });

  test("warns of locks that clients notice", async () => {
    const plan = await planUpgrade(connection, ALL.slice(0, 2), []);
    for (const { held } of plan.migrations) for (const each of held) each.seconds = 100;
    expect(toFindings(plan)[1]).toMatchObject({
      status: "warning",
      fix: expect.stringContaining("Nobody can read or write large for about 2 minutes."),
    });
  });

  test("is empty once the migrations are applied, and refuses a database that cannot be migrated", async () => {
    await migrate(connection, ALL, log);
    expect(toFindings(await planUpgrade(connection, ALL, []))).toEqual([
      { check: "migrations", status: "ok", detail: "none is pending" },
    ]);
    await expect(planUpgrade(connection, ALL.slice(0, 3), [])).rejects.toThrow("does not know");
  });
});
