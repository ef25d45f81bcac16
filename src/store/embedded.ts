import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PGlite, types } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import type { Log } from "../core/log";
import { queryFailure } from "./failure";
import { lockFolder } from "./folder-lock";
import { PrismaClient } from "./generated/client";
import { migrate } from "./migrate";
import { embeddedConnection, unopenedRefusal } from "./migration-connection";
import { readMigrations } from "./migrations";
import { type Statement, type Store, TRANSACTIONS } from "./store";

/** How `query` reads columns, so that both databases answer alike. */
const READERS = { [types.INT8]: Number };

/**
 * Opens the store on the embedded database in `folder/db`, which is made where it is missing, and
 * migrates it. The folder belongs to this process until the store is closed.
 * @throws Refusal when another process has the folder, or the service must not start on this database
 */
export async function openEmbedded(folder: string, log: Log): Promise<Store> {
  const lock = await lockFolder(folder, log);
  let lite: PGlite | undefined;
  try {
    lite = await openFolder(folder, log);
    await migrateFolder(lite, log);
  } catch (error) {
    await lite?.close();
    await lock.release();
    throw error;
  }
  return storeOf(lite, log, () => lock.release());
}

/**
 * Migrates the embedded database in `folder/db`, which is made where it is missing.
 * @returns the names of the migrations that ran now
 * @throws Refusal when another process has the folder, or a migration must not run
 */
export async function migrateEmbedded(folder: string, log: Log): Promise<string[]> {
  const lock = await lockFolder(folder, log);
  let lite: PGlite | undefined;
  try {
    lite = await openFolder(folder, log);
    return await migrateFolder(lite, log);
  } finally {
    await lite?.close();
    await lock.release();
  }
}

async function openFolder(folder: string, log: Log): Promise<PGlite> {
  const dataDir = join(folder, "db");
  const first = !existsSync(join(dataDir, "PG_VERSION"));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    if (first) {
      log.info({ folder: dataDir }, "making the embedded database; this takes some seconds");
      await makeFolder(dataDir);
    } else log.info({ folder: dataDir }, "opening the embedded database");
    const lite = await PGlite.create({ dataDir });
    // Prisma's adapter writes and reads dates without their offset.
    await lite.exec("SET TIME ZONE 'UTC'");
    if (first) log.info("the embedded database is made");
    return lite;
  } catch (error) {
    throw unopenedRefusal(dataDir, error);
  }
}

/** Ends with its parent, whose end closes its standard input. */
const MAKE = `const { PGlite } = require(process.argv[1]);
process.stdin.resume().on("end", () => process.exit(1));
PGlite.create({ dataDir: process.argv[2] })
  .then((lite) => lite.close())
  .then(() => process.exit(0));`;

/**
 * Makes the folder in a process of its own: making takes half a gigabyte more than opening, and what
 * WebAssembly has once taken a process does not give back.
 */
async function makeFolder(dataDir: string): Promise<void> {
  const lite = require.resolve("@electric-sql/pglite");
  await promisify(execFile)(process.execPath, ["-e", MAKE, lite, dataDir]);
}

async function migrateFolder(lite: PGlite, log: Log): Promise<string[]> {
  return migrate(embeddedConnection(lite), await readMigrations(), log);
}

function storeOf(lite: PGlite, log: Log, release: () => Promise<void>): Store {
  const db = new PrismaClient({
    adapter: new PrismaPGlite(lite),
    errorFormat: "minimal",
    transactionOptions: TRANSACTIONS,
  });

  const queryOn =
    (on: Pick<PGlite, "query">) =>
    async <Row>(statement: Statement, values: unknown[]): Promise<Row[]> => {
      try {
        return (await on.query<Row>(statement.text, values, { parsers: READERS })).rows;
      } catch (error) {
        throw queryFailure(error, log);
      }
    };
  const query = queryOn(lite);

  async function execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    try {
      if (values !== undefined) return { rows: (await lite.query(text, values)).rows };
      // In a transaction, which ends with it: a script that failed after a BEGIN of its own would else
      // leave the one connection in there. (Of a BEGIN inside, PostgreSQL only warns.)
      const results = await lite.transaction((transaction) => transaction.exec(text));
      return { rows: results.at(-1)?.rows ?? [] };
    } catch (error) {
      throw queryFailure(error, log);
    }
  }

  return {
    kind: "embedded",
    db,
    query,
    execute,
    transaction: (act) =>
      lite.transaction((open) =>
        act({
          query: queryOn(open as Pick<PGlite, "query">),
          execute: async (text, values) => ({ rows: (await open.query(text, values)).rows }),
        }),
      ),
    check: async () => {
      await query({ name: "check", text: "SELECT 1" }, []);
    },
    close: async () => {
      await db.$disconnect();
      await lite.close();
      await release();
    },
  };
}
