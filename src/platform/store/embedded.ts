import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Transaction as LiteTransaction, PGlite, types } from "@electric-sql/pglite";
import { PrismaPGlite } from "pglite-prisma-adapter";
import { monotonicNow } from "../../core/clock";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { buildIndexes, type ConcurrentIndex } from "./concurrent-indexes";
import { copyFolder } from "./copy-folder";
import { serveCopies } from "./database-copies";
import { isDiskFull } from "./database-errors";
import { lockFolder } from "./folder-lock";
import { type MigratedStore, migrate } from "./migrate";
import type { MigrationConnection } from "./migration/stoppable-connection";
import { cannotOpenError, embeddedConnection } from "./migration-connection";
import { readMigrations } from "./migrations";
import { runInTransaction } from "./open-transaction";
import { LazyPrismaClient } from "./prisma-client";
import { QueryErrors } from "./query-error";
import { type Statement, type Store, type Transaction } from "./store";
import { isUnfinished, markFinished, markUnfinished, refuseUnfinished } from "./unfinished-restore";
import { UnusableDatabaseError } from "./unusable-database-error";

/** Parsers for columns of `query`, so that both databases return the same types. */
const PARSERS = { [types.INT8]: Number };

/** Which embedded database to open, and what to do with it. */
interface EmbeddedOptions {
  /** The data folder. */
  folder: string;
  log: Log;
  /** Stops the opening before the next migration. */
  signal?: AbortSignal;
  /** Indexes to build after the migrations. */
  indexes: readonly ConcurrentIndex[];
}

/**
 * Opens and migrates the embedded database in `folder/db`; creates it if it is missing. Locks the folder
 * until the store is closed.
 * @throws UnusableDatabaseError if another process uses the folder, or the service must not use this database;
 * the reason of the signal
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Store> {
  const { folder, log, signal } = options;
  const lock = await lockFolder(folder, log);
  let lite: PGlite | undefined;
  try {
    lite = await openDatabase(folder, log, signal);
    await migrateDatabase(lite, options);
    signal?.throwIfAborted();
  } catch (error) {
    await lite?.close();
    await lock.release();
    throw error;
  }
  const database = lite;
  const copies = await serveCopies({
    folder,
    copy: (stop) => copyDatabase(database, folder, stop),
    log,
  });
  return makeStore(lite, log, copies.close, () => lock.release());
}

/**
 * Migrates the embedded database in `folder/db`, and builds the indexes that it lacks; creates it if it is missing.
 * @throws UnusableDatabaseError if another process uses the folder, or a migration must not run; the reason of the
 * signal
 */
export async function migrateEmbedded(options: EmbeddedOptions): Promise<MigratedStore> {
  const { folder, log, signal } = options;
  const lock = await lockFolder(folder, log);
  let lite: PGlite | undefined;
  try {
    lite = await openDatabase(folder, log, signal);
    return await migrateDatabase(lite, options);
  } finally {
    await lite?.close();
    await lock.release();
  }
}

/** What {@link fillEmbedded} stores. */
export interface EmbeddedContent {
  /** Writes the content of the database. */
  fill(connection: MigrationConnection): Promise<void>;
  /** Writes the files beside the database, which is then on disk. If it fails, it leaves none of them. */
  addFiles(): Promise<void>;
}

/**
 * Creates the embedded database in `folder/db` with content from elsewhere. If it fails, or its process ends, the folder
 * has no database that can be opened; then it can run again.
 * @throws UnusableDatabaseError if the folder holds a database, or another process uses it; the error of the content
 */
export async function fillEmbedded(
  folder: string,
  log: Log,
  { fill, addFiles }: EmbeddedContent,
): Promise<void> {
  const lock = await lockFolder(folder, log);
  const dataDir = join(folder, "db");
  try {
    if (existsSync(dataDir) && !isUnfinished(folder)) {
      throw new UnusableDatabaseError(
        `${folder} holds a database, which is not overwritten. Choose an empty folder as DATA_DIR, or move this one away.`,
      );
    }
    await markUnfinished(folder);
    await removeDrafts(folder);
    await rm(dataDir, { recursive: true, force: true });
    try {
      await createDatabase(folder, dataDir);
      const lite = await PGlite.create({ dataDir });
      await fill(embeddedConnection(lite)).finally(() => lite.close());
      await syncFolder(dataDir);
      await addFiles();
    } catch (error) {
      await rm(dataDir, { recursive: true, force: true });
      await markFinished(folder);
      throw error;
    }
    await markFinished(folder);
  } finally {
    await lock.release();
  }
}

/** Maximum time for which a copy lets statements wait, in milliseconds, apart from the file that it is copying then. */
const COPY_MS_MAX = 10_000;
const COPY_TOO_LONG = `it takes longer than ${COPY_MS_MAX / 1000} s, for which statements would wait. Stop the server, then run the backup again.`;

/**
 * Copies the database while no transaction runs. The copy is what a process leaves that is killed then, which the next
 * opening recovers.
 * @returns the path of the copy
 * @throws the reason of the signal; Error if it would take too long
 */
async function copyDatabase(lite: PGlite, folder: string, stop: AbortSignal): Promise<string> {
  const draft = join(folder, `${DRAFT}${newId()}`);
  try {
    await lite.transaction(async (open) => {
      // Otherwise the opening of the copy would repeat everything since the last one.
      await open.exec("CHECKPOINT");
      const deadline = monotonicNow() + COPY_MS_MAX;
      await copyFolder(join(folder, "db"), draft, () => {
        stop.throwIfAborted();
        if (monotonicNow() > deadline) throw new Error(COPY_TOO_LONG);
      });
    });
    return draft;
  } catch (error) {
    // The reason counts, also if the copy stays until the next start.
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Waits until the files of a folder are on disk: the embedded database itself does not. */
async function syncFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncFolder(path);
    else await sync(path);
  }
  await sync(folder);
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function openDatabase(folder: string, log: Log, signal?: AbortSignal): Promise<PGlite> {
  refuseUnfinished(folder);
  const dataDir = join(folder, "db");
  const isNew = !existsSync(join(dataDir, "PG_VERSION"));
  try {
    await removeDrafts(folder);
    if (isNew) {
      log.info(
        { folder: dataDir },
        "creating the embedded database; this takes up to half a minute",
      );
      await createDatabase(folder, dataDir, signal);
    } else log.info({ folder: dataDir }, "opening the embedded database");
    const lite = await PGlite.create({ dataDir });
    // Prisma's adapter writes and reads dates without an offset.
    await lite.exec("SET TIME ZONE 'UTC'");
    if (isNew) log.info("the embedded database has been created");
    return lite;
  } catch (error) {
    signal?.throwIfAborted();
    throw isDiskFull(error) ? diskFullError(folder) : cannotOpenError(dataDir, error);
  }
}

/** The error for a disk that has no space for the embedded database. */
function diskFullError(folder: string): UnusableDatabaseError {
  return new UnusableDatabaseError(
    `The disk of DATA_DIR (${folder}) is full: free some space, or choose another folder, and start again.`,
  );
}

/** Creates the database. Exits with the parent process, whose exit closes standard input. */
const CREATE_SCRIPT = `const { PGlite } = require(process.argv[1]);
process.stdin.resume().on("end", () => process.exit(1));
PGlite.create({ dataDir: process.argv[2] })
  .then((lite) => lite.close())
  .then(() => process.exit(0));`;

/** How the names of folders start in which a database is created, or to which it is copied. */
const DRAFT = "db.draft-";

/**
 * Creates the database in a child process: creation needs half a gigabyte more memory than opening, and a
 * process never returns WebAssembly memory. The folder gets its name when it is complete, so an interrupted creation
 * leaves only a draft.
 */
async function createDatabase(
  folder: string,
  dataDir: string,
  signal?: AbortSignal,
): Promise<void> {
  const draft = join(folder, `${DRAFT}${newId()}`);
  await mkdir(draft, { mode: 0o700 });
  const lite = require.resolve("@electric-sql/pglite");
  await promisify(execFile)(process.execPath, ["-e", CREATE_SCRIPT, lite, draft], { signal });
  // Replaces an empty folder.
  await rename(draft, dataDir);
}

/**
 * Removes what interrupted creations and copies have left, at every start. Each draft has a name of its own, because the
 * child process of a killed start may still write to an earlier one for a moment.
 */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(DRAFT)) continue;
    // What is left of it does no harm.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function migrateDatabase(
  lite: PGlite,
  { log, signal, indexes }: EmbeddedOptions,
): Promise<MigratedStore> {
  const connection = embeddedConnection(lite);
  const applied = await migrate(connection, await readMigrations(), log, signal);
  const build = { indexes, concurrently: false, log, signal };
  return { applied, indexes: await buildIndexes(connection, build) };
}

/** The methods that Prisma's adapter uses. Within a transaction's scope it gets that transaction. */
function scopedDatabase(
  lite: PGlite,
  transactionScope: AsyncLocalStorage<LiteTransaction>,
): PGlite {
  const scoped: Pick<PGlite, "query" | "exec" | "transaction"> = {
    query: (text, values, options) => lite.query(text, values, options),
    exec: (text, options) => lite.exec(text, options),
    transaction: (act) => {
      const transactionConnection = transactionScope.getStore();
      return transactionConnection === undefined
        ? lite.transaction(act)
        : Promise.resolve(transactionConnection).then(act);
    },
  };
  return scoped as PGlite;
}

/** An open transaction as Prisma's adapter uses it: it does not end the transaction. */
function withoutTransactionControl(open: LiteTransaction): LiteTransaction {
  const transactionConnection: Partial<LiteTransaction> = {
    query: (text, values, options) => open.query(text, values, options),
    rollback: async () => undefined,
  };
  return transactionConnection as LiteTransaction;
}

/** Runs statements on the database, or on one of its transactions. */
function statementsOn(
  connection: Pick<PGlite, "query">,
  errors: QueryErrors,
): Pick<Transaction, "query" | "execute"> {
  return {
    async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      try {
        return (await connection.query<Row>(statement.text, values, { parsers: PARSERS })).rows;
      } catch (error) {
        throw errors.convert(error);
      }
    },

    async execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
      try {
        return { rows: (await connection.query(text, values)).rows };
      } catch (error) {
        throw errors.convert(error);
      }
    },
  };
}

function makeStore(
  lite: PGlite,
  log: Log,
  endCopies: () => Promise<void>,
  release: () => Promise<void>,
): Store {
  const transactionScope = new AsyncLocalStorage<LiteTransaction>();
  const errors = new QueryErrors(log);
  const prisma = new LazyPrismaClient(
    new PrismaPGlite(scopedDatabase(lite, transactionScope)),
    errors.convert,
  );
  const statements = statementsOn(lite, errors);

  async function execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    if (values !== undefined) return statements.execute(text, values);
    try {
      // A script that fails after its own BEGIN would leave the only connection in that transaction, so it
      // runs in one that ends here. PostgreSQL only warns about the nested BEGIN.
      const results = await lite.transaction((transaction) => transaction.exec(text));
      return { rows: results.at(-1)?.rows ?? [] };
    } catch (error) {
      throw errors.convert(error);
    }
  }

  async function transaction<T>(act: (open: Transaction) => Promise<T>): Promise<T> {
    const { result, committed } = await lite
      .transaction((open) => {
        const connection = statementsOn(open as Pick<PGlite, "query">, errors);
        return runInTransaction(
          {
            ...connection,
            prisma,
            transactionScope,
            transactionConnection: withoutTransactionControl(open),
          },
          act,
        );
      })
      .catch((error: unknown) => {
        // Also of the commit, which no statement has converted.
        throw errors.convert(error);
      });
    committed();
    return result;
  }

  return {
    kind: "embedded",
    get db() {
      return prisma.db;
    },
    query: statements.query,
    execute,
    transaction,
    isDiskFull: () => errors.isDiskFull(),
    connections: () => null,
    close: async () => {
      await prisma.close();
      await endCopies();
      await lite.close();
      await release();
    },
  };
}
