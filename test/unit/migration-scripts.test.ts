import { objectsOf } from "../../src/platform/store/migration/script-objects";
import {
  statementsOf,
  transactionControlOf,
} from "../../src/platform/store/migration/script-statements";
import { readMigrations } from "../../src/platform/store/migrations";

/** What is read from the scripts of migrations. */

test("every migration can be one transaction with its record", async () => {
  const migrations = await readMigrations();
  expect(migrations.length).toBeGreaterThan(20);
  for (const { name, script } of migrations) {
    expect([name, transactionControlOf(script)]).toEqual([name, null]);
  }
});

test("every migration shows in the schema whether it has run", async () => {
  for (const { name, script } of await readMigrations()) {
    expect([name, objectsOf(script).length > 0]).toEqual([name, true]);
  }
});

test.each([
  ["BEGIN;\nSELECT 1;\nCOMMIT;", "BEGIN"],
  ["SELECT 1; commit", "commit"],
  ["SELECT 1; -- COMMIT\nROLLBACK TO a;", "ROLLBACK TO a"],
  ["/* BEGIN; */ start transaction", "start transaction"],
  ["SAVEPOINT a;", "SAVEPOINT a"],
  ["DO $$ BEGIN NULL; END $$;", null],
  ["DO $body$\nBEGIN\n  PERFORM ';COMMIT;';\nEND\n$body$;", null],
  ["INSERT INTO a VALUES ('x; COMMIT; ''y');", null],
  ['SELECT "a;COMMIT;b" FROM c;', null],
  ["-- ends in a comment; COMMIT;", null],
])("transaction control of %j is %j", (script, statement) => {
  expect(transactionControlOf(script)).toBe(statement);
});

test("a script is divided into statements without comments and contents of strings", () => {
  const script = `-- first; \nSELECT 'a;b', "c;d";;\n/* ; */ SELECT $1, $a$ ; $a$ ;SELECT 'open`;
  expect(statementsOf(script)).toEqual([`SELECT '', "c;d"`, "SELECT $1, ''", "SELECT ''"]);
});

test("objects that a script adds or removes are found, except those that tell nothing", () => {
  const script = `
    CREATE TABLE "t" ("a" INT); CREATE UNIQUE INDEX "i" ON "t"("a"); DROP INDEX "j";
    CREATE TYPE "e" AS ENUM ('x');
    DROP INDEX "again"; CREATE INDEX "again" ON "t"("a");
    CREATE TABLE "draft" ("a" INT); DROP TABLE "draft";
    CREATE INDEX IF NOT EXISTS "maybe" ON "t"("a");
    ALTER TABLE "t" ADD COLUMN     "b" TEXT DEFAULT 'DROP COLUMN "c"',
      DROP COLUMN "d", ADD CONSTRAINT "k" CHECK (true), ALTER COLUMN "f" SET NOT NULL,
      ALTER COLUMN "g" DROP NOT NULL, ALTER COLUMN "h" SET DEFAULT 1;
    ALTER TABLE "t" RENAME COLUMN "m" TO "n";
    ALTER TABLE "t" RENAME CONSTRAINT "o" TO "p"; ALTER TABLE "t" RENAME TO "s";
    UPDATE "t" SET "a" = 1;`;
  const found = objectsOf(script).map(
    ({ kind, name, added }) => `${added ? "+" : "-"} ${kind} ${name}`,
  );
  expect(found).toEqual([
    "+ relation t",
    "+ relation i",
    "- relation j",
    "+ type e",
    "+ column b",
    "- column d",
    "+ constraint k",
    "+ required column f",
    "- required column g",
    "- column m",
    "+ column n",
  ]);
});
