import { compatibilityOf, mayRunAfter } from "../../src/platform/store/migration/compatibility";
import { effectsOf } from "../../src/platform/store/migration/statement-effects";
import { readMigrations } from "../../src/platform/store/migrations";

/** What statements of migrations lock, and which earlier versions may run after them. */

/** Blocks of PL/pgSQL, whose statements are not read. */
const UNKNOWN = ["20261123033000_incoming_call_push_names"];
/** The last migration whose record does not say which earlier versions may run after it. */
const LAST_SILENT = "20261129050000_private_conference_names";

/** The last migration that locks several tables, which can end a request of a node that serves in a deadlock. */
const LAST_OF_SEVERAL_TABLES = "20261201000000_api_keys";

test("every statement of every migration is known", async () => {
  const migrations = await readMigrations();
  const unknown = migrations.filter(({ script }) => effectsOf(script).some((each) => !each.known));
  expect(unknown.map(({ name }) => name)).toEqual(UNKNOWN);
});

test("a migration locks one table of before, so that it waits for no request that waits for it", async () => {
  const several = (await readMigrations())
    .filter(({ name }) => name > LAST_OF_SEVERAL_TABLES)
    .map(({ name, script }) => {
      const effects = effectsOf(script);
      const created = new Set(effects.map(({ creates }) => creates));
      const locks = effects.flatMap((each) => each.locks);
      const tables = locks.filter(({ lock }) => lock.endsWith("EXCLUSIVE") || lock === "SHARE");
      return [
        name,
        new Set(tables.map(({ on }) => on.name).filter((each) => !created.has(each))),
      ] as const;
    })
    .filter(([, tables]) => tables.size > 1);
  expect(several.map(([name]) => name)).toEqual([]);
});

test("every migration tells which earlier versions may run after it", async () => {
  const migrations = await readMigrations();
  const names = migrations.map(({ name }) => name);
  expect(names).toContain(LAST_SILENT);
  // A migration that restricts something needs a line `-- Needs: MIGRATION`.
  const silent = migrations.filter(({ script }) => compatibilityOf(script) === null);
  expect(silent.map(({ name }) => name).filter((name) => name > LAST_SILENT)).toEqual([]);
  for (const { name, script } of migrations) {
    const needed = /^-- Needs: (?!nothing$)(.*)$/m.exec(script)?.[1];
    if (needed !== undefined) expect(names.slice(0, names.indexOf(name))).toContain(needed);
  }
});

test.each([
  ['CREATE TABLE "t" ("a" INT)', [], false],
  ["CREATE TYPE \"e\" AS ENUM ('x')", [], false],
  ["ALTER TYPE \"e\" ADD VALUE 'y'", [], true],
  ['DROP TYPE "e"', [], true],
  ['CREATE INDEX "i" ON "t"("a")', ["SHARE t index"], false],
  [
    'CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "t"("a")',
    ["SHARE UPDATE EXCLUSIVE t index"],
    false,
  ],
  ['CREATE UNIQUE INDEX "i" ON "t"("a")', ["SHARE t index"], true],
  ['DROP INDEX "i"', ["ACCESS EXCLUSIVE i catalogs"], true],
  ['DROP TABLE "t"', ["ACCESS EXCLUSIVE t catalogs"], true],
  ['ALTER TABLE "t" ADD COLUMN     "b" TEXT', ["ACCESS EXCLUSIVE t catalogs"], false],
  ['ALTER TABLE "t" ADD COLUMN "b" TEXT NOT NULL', ["ACCESS EXCLUSIVE t catalogs"], true],
  [
    'ALTER TABLE "t" ADD COLUMN "b" TEXT NOT NULL DEFAULT \'\'',
    ["ACCESS EXCLUSIVE t catalogs"],
    false,
  ],
  [
    'ALTER TABLE "t" ADD COLUMN "b" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP',
    ["ACCESS EXCLUSIVE t catalogs"],
    false,
  ],
  [
    'ALTER TABLE "t" ADD COLUMN "b" UUID DEFAULT gen_random_uuid()',
    ["ACCESS EXCLUSIVE t rewrite"],
    false,
  ],
  ['ALTER TABLE "t" ADD COLUMN "b" BIGSERIAL NOT NULL', ["ACCESS EXCLUSIVE t rewrite"], false],
  ['ALTER TABLE "t" ALTER COLUMN "b" SET NOT NULL', ["ACCESS EXCLUSIVE t scan"], true],
  ['ALTER TABLE "t" ALTER COLUMN "b" DROP NOT NULL', ["ACCESS EXCLUSIVE t catalogs"], true],
  ['ALTER TABLE "t" ALTER COLUMN "b" DROP DEFAULT', ["ACCESS EXCLUSIVE t catalogs"], true],
  ['ALTER TABLE "t" ALTER COLUMN "b" SET DEFAULT 1', ["ACCESS EXCLUSIVE t catalogs"], false],
  ['ALTER TABLE "t" ALTER COLUMN "b" SET DATA TYPE BIGINT', ["ACCESS EXCLUSIVE t rewrite"], true],
  ['ALTER TABLE "t" DROP COLUMN "b"', ["ACCESS EXCLUSIVE t catalogs"], true],
  ['ALTER TABLE "t" RENAME COLUMN "b" TO "c"', ["ACCESS EXCLUSIVE t catalogs"], true],
  ['ALTER TABLE "t" DROP CONSTRAINT "k"', ["ACCESS EXCLUSIVE t catalogs"], true],
  ['ALTER TABLE "t" ADD CONSTRAINT "k" CHECK (a > 0)', ["ACCESS EXCLUSIVE t scan"], true],
  [
    'ALTER TABLE "t" ADD CONSTRAINT "k" CHECK (a > 0) NOT VALID',
    ["ACCESS EXCLUSIVE t catalogs"],
    true,
  ],
  ['ALTER TABLE "t" VALIDATE CONSTRAINT "k"', ["SHARE UPDATE EXCLUSIVE t scan"], false],
  ['ALTER TABLE "t" ADD CONSTRAINT "k" UNIQUE ("a")', ["ACCESS EXCLUSIVE t index"], true],
  [
    'ALTER TABLE "t" ADD CONSTRAINT "k" FOREIGN KEY ("a", "b") REFERENCES "o"("a", "b") ON DELETE CASCADE',
    ["SHARE ROW EXCLUSIVE t scan", "SHARE ROW EXCLUSIVE o catalogs"],
    true,
  ],
  [
    'ALTER TABLE "t" ADD COLUMN "b" NUMERIC(3,2), DROP COLUMN "c"',
    ["ACCESS EXCLUSIVE t catalogs", "ACCESS EXCLUSIVE t catalogs"],
    true,
  ],
  ['UPDATE "t" SET "a" = 1', ["ROW EXCLUSIVE t rows"], false],
  ['DELETE FROM "t" WHERE "a" = 1', ["ROW EXCLUSIVE t rows"], false],
  ['CREATE TABLE "t" ("a" INT); CREATE UNIQUE INDEX "i" ON "t"("a")', ["SHARE t index"], false],
])("%s", (script, locks, restricts) => {
  const effects = effectsOf(`${script};`);
  expect(effects.map(({ known }) => known)).toEqual(effects.map(() => true));
  const found = effects.flatMap((each) => each.locks);
  expect(found.map(({ lock, on, work }) => `${lock} ${on.name} ${work}`)).toEqual(locks);
  expect(effects.some((each) => each.restricts)).toBe(restricts);
});

test.each([
  "DO $$ BEGIN DROP TABLE a; END $$",
  'CREATE UNIQUE INDEX CONCURRENTLY "i" ON "t"("a")',
  'ALTER TABLE "t" ADD COLUMN "b" TEXT DEFAULT some_function()  COLLATE "C" REFERENCES "o"("a") /* */ , SET LOGGED',
  'ALTER TABLE "t" ADD COLUMN "b" TEXT, CLUSTER ON "i"',
  "LOCK TABLE a",
  "VACUUM FULL",
])("%s is unknown, and no earlier version may run after it", (script) => {
  expect(effectsOf(script)).toMatchObject([{ known: false, restricts: true }]);
  expect(compatibilityOf(script)).toBeNull();
});

test("a record is read by the versions that need it", () => {
  const additive = compatibilityOf('ALTER TABLE "t" ADD COLUMN "b" TEXT;');
  const declared = compatibilityOf('-- Why.\n-- Needs: 2_second\nDROP TABLE "t";');
  const knows = (name: string) => name === "2_second";
  expect(mayRunAfter(additive, () => false)).toBe(true);
  expect(mayRunAfter(declared, knows)).toBe(true);
  expect(mayRunAfter(declared, () => false)).toBe(false);
  expect(mayRunAfter(null, () => true)).toBe(false);
  expect(mayRunAfter("something else", () => true)).toBe(false);
});
