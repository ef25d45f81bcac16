import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PGlite, types } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import type { Log } from "../core/log";
import { lockFolder } from "./folder-lock";
import { PrismaClient } from "./generated/client";
import { migrate } from "./migrate";
import { cannotOpenError, embeddedConnection } from "./migration-connection";
import { readMigrations } from "./migrations";
import { toQueryError } from "./query-error";
import { type Statement, type Store, TRANSACTION_OPTIONS } from "./store";

/** Parsers for columns of `query`, so that both databases return the same types. */
const PARSERS = { [types.INT8]: Number };

/**
 * Opens and migrates the embedded database in `folder/db`; creates it if it is missing. Locks the folder
 * until the store is closed.
 * @throws UnusableDatabaseError if another process uses the folder, or the service must not use this database
 */
export async function openEmbedded(folder: string, log: Log): Promise<Store> {
  const lock = await lockFolder(folder, log);
  let lite: PGlite | undefined;
  try {
    lite = await openDatabase(folder, log);
    await migrateDatabase(lite, log);
  } catch (error) {
    await lite?.close();
    await lock.release();
    throw error;
  }
  return makeStore(lite, log, () => lock.release());
}

/**
 * Migrates the embedded database in `folder/db`; creates it if it is missing.
 * @returns the names of the migrations that were applied
 * @throws UnusableDatabaseError if another process uses the folder, or a migration must not run
 */
export async function migrateEmbedded(folder: string, log: Log): Promise<string[]> {
  const lock = await lockFolder(folder, log);
  let lite: PGlite | undefined;
  try {
    lite = await openDatabase(folder, log);
    return await migrateDatabase(lite, log);
  } finally {
    await lite?.close();
    await lock.release();
  }
}

async function openDatabase(folder: string, log: Log): Promise<PGlite> {
  const dataDir = join(folder, "db");
  const isNew = !existsSync(join(dataDir, "PG_VERSION"));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    if (isNew) {
      log.info({ folder: dataDir }, "creating the embedded database; this takes some seconds");
      await createDatabase(dataDir);
    } else log.info({ folder: dataDir }, "opening the embedded database");
    const lite = await PGlite.create({ dataDir });
    // Prisma's adapter writes and reads dates without an offset.
    await lite.exec("SET TIME ZONE 'UTC'");
    if (isNew) log.info("the embedded database has been created");
    return lite;
  } catch (error) {
    throw cannotOpenError(dataDir, error);
  }
}

/** Creates the database. Exits with the parent process, whose exit closes standard input. */
const CREATE_SCRIPT = `const { PGlite } = require(process.argv[1]);
process.stdin.resume().on("end", () => process.exit(1));
PGlite.create({ dataDir: process.argv[2] })
  .then((lite) => lite.close())
  .then(() => process.exit(0));`;

/**
 * Creates the database in a child process: creation needs half a gigabyte more memory than opening, and a
 * process never returns WebAssembly memory.
 */
async function createDatabase(dataDir: string): Promise<void> {
  const lite = require.resolve("@electric-sql/pglite");
  await promisify(execFile)(process.execPath, ["-e", CREATE_SCRIPT, lite, dataDir]);
}

async function migrateDatabase(lite: PGlite, log: Log): Promise<string[]> {
  return migrate(embeddedConnection(lite), await readMigrations(), log);
}

function makeStore(lite: PGlite, log: Log, release: () => Promise<void>): Store {
  const db = new PrismaClient({
    adapter: new PrismaPGlite(lite),
    errorFormat: "minimal",
    transactionOptions: TRANSACTION_OPTIONS,
  });

  const queryOn =
    (connection: Pick<PGlite, "query">) =>
    async <Row>(statement: Statement, values: unknown[]): Promise<Row[]> => {
      try {
        return (await connection.query<Row>(statement.text, values, { parsers: PARSERS })).rows;
      } catch (error) {
        throw toQueryError(error, log);
      }
    };
  const query = queryOn(lite);

  async function execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    try {
      if (values !== undefined) return { rows: (await lite.query(text, values)).rows };
      // A script that fails after its own BEGIN would leave the only connection in that transaction, so it
      // runs in one that ends here. PostgreSQL only warns about the nested BEGIN.
      const results = await lite.transaction((transaction) => transaction.exec(text));
      return { rows: results.at(-1)?.rows ?? [] };
    } catch (error) {
      throw toQueryError(error, log);
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
