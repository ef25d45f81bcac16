import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execute } from "../../../scripts/services/postgres-server";
import { readMigrations } from "../../../src/platform/store/migrations";
import { runCommand } from "../../support/cli/command-line";
import { startNode } from "../../support/node";
import {
  describeServices,
  emptyFolder,
  type FreshDatabase,
  freshFolder,
  freshServices,
} from "../../support/operations/database";

const databases: FreshDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove();
});

async function environment(fresh: Promise<FreshDatabase>): Promise<Record<string, string>> {
  const database = await fresh;
  databases.push(database);
  return database.environment;
}

const NOTHING = "Nothing to apply: the database is up to date.\n";
const SECRET_KEY = "0".repeat(64);

/** Expects the command to fail; returns its message, which has no stack. */
async function refused(variables: Record<string, string>): Promise<string> {
  const { code, out, err } = await runCommand(["migrate"], variables);
  expect([code, out]).toEqual([1, ""]);
  expect(err).not.toMatch(/\n +at /);
  return err;
}

it("creates the embedded database if it is missing, and then has nothing to do", async () => {
  const variables = await environment(emptyFolder());
  const names = (await readMigrations()).map(({ name }) => name);
  const first = await runCommand(["migrate"], variables);
  expect([first.code, first.out]).toEqual([
    0,
    `Applied:\n${names.map((n) => `  ${n}\n`).join("")}`,
  ]);
  expect(first.err).toContain("this takes up to half a minute");
  const second = await runCommand(["migrate"], variables);
  expect([second.code, second.out]).toEqual([0, NOTHING]);
  const third = await runCommand(["migrate", "--json"], variables);
  expect(JSON.parse(third.out)).toEqual({ applied: [], indexes: [] });
});

it("does not touch the folder of a running server, and says that the server migrates itself", async () => {
  const { DATA_DIR = "" } = await environment(freshFolder());
  const node = await startNode({ DATA_DIR, DATABASE_URL: "", REDIS_URL: "" });
  try {
    const words = await refused({ DATA_DIR });
    expect(words).toMatch(/in use by another process/);
    expect(words).toMatch(/the server migrates the database at its start/);
  } finally {
    await node.stop();
  }
});

it("reports why a database cannot be opened or reached, without its password", async () => {
  const { DATA_DIR = "" } = await environment(emptyFolder());
  await mkdir(join(DATA_DIR, "db"));
  await writeFile(join(DATA_DIR, "db/PG_VERSION"), "nothing of the kind");
  expect(await refused({ DATA_DIR })).toMatch(/The embedded database in .* cannot be opened/);

  const DATABASE_URL = "postgresql://user:hunter2@127.0.0.1:1/db";
  const words = await refused({ DATA_DIR, DATABASE_URL, SECRET_KEY });
  expect(words).toMatch(/^PostgreSQL \(DATABASE_URL\) cannot be reached: .*ECONNREFUSED/);
  expect(words).not.toContain("hunter2");
  expect(await refused({ DATA_DIR, DATABASE_URL })).toMatch(/SECRET_KEY is required/);
});

describeServices("on PostgreSQL", () => {
  it("applies pending migrations, and says when there are none", async () => {
    const variables = await environment(freshServices("template0"));
    const names = (await readMigrations()).map(({ name }) => name);
    const both = await Promise.all([
      runCommand(["migrate", "--json"], variables),
      runCommand(["migrate", "--json"], variables),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.flatMap(({ out }) => JSON.parse(out).applied)).toEqual(names);
    expect((await runCommand(["migrate"], variables)).out).toBe(NOTHING);
  });

  it("refuses another program's database, and one of a newer version", async () => {
    const variables = await environment(freshServices("template0"));
    const url = variables.DATABASE_URL ?? "";
    await execute(url, "CREATE TABLE somebody_elses (id int)");
    expect(await refused(variables)).toMatch(/no migration history of this service/);

    const newer = await environment(freshServices());
    await execute(
      newer.DATABASE_URL ?? "",
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
        VALUES ('x', 'x', '29990101000000_later', now())`,
    );
    expect(await refused(newer)).toMatch(/29990101000000_later, which this version does not know/);
  });

  it("records what became of a failed migration", async () => {
    const variables = await environment(freshServices());
    const name = "29990101000000_later";
    await execute(
      variables.DATABASE_URL ?? "",
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs)
        VALUES ('x', 'x', '${name}', 'the cause')`,
    );
    expect(await refused(variables)).toContain(`signalbox migrate --rolled-back ${name}`);
    const record = () => runCommand(["migrate", "--rolled-back", name], variables);
    expect(await record()).toEqual({
      code: 0,
      out: `${name} is recorded as rolled-back.\n`,
      err: "",
    });
    const again = { code: 1, out: "", err: `The database has no unfinished migration ${name}.\n` };
    expect(await record()).toEqual(again);
    expect((await runCommand(["migrate"], variables)).out).toBe(NOTHING);
    const empty = await environment(freshServices("template0"));
    expect(await runCommand(["migrate", "--applied", name], empty)).toEqual(again);
  });
});
