import type { Log } from "../../core/log";
import { buildIndexes, type ConcurrentIndex } from "./concurrent-indexes";
import { explainConnectionError } from "./connection";
import { serverRefusal } from "./health-check";
import { type MigratedStore, migrate } from "./migrate";
import { openServerConnection } from "./migration-connection";
import { readMigrations } from "./migrations";
import { UnusableDatabaseError } from "./unusable-database-error";

/** Builds indexes while the node serves. A failure is logged: the next start, or `signalbox migrate`, tries again. */
export async function buildInBackground(
  url: string,
  indexes: readonly ConcurrentIndex[],
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    await buildOn(url, indexes, log, signal);
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, "an index could not be built");
  }
}

async function buildOn(
  url: string,
  indexes: readonly ConcurrentIndex[],
  log: Log,
  signal?: AbortSignal,
): Promise<string[]> {
  if (indexes.length === 0) return [];
  const { connection, close } = await openServerConnection(url);
  try {
    return await buildIndexes(connection, { indexes, concurrently: true, log, signal });
  } finally {
    await close();
  }
}

/** Which PostgreSQL database to migrate. */
interface ServerMigration {
  url: string;
  log: Log;
  /** Stops the migrations, or the build of an index. */
  signal?: AbortSignal;
  /** Indexes to build after the migrations. */
  indexes: readonly ConcurrentIndex[];
}

/**
 * Migrates the database on a PostgreSQL server, and builds the indexes that it lacks.
 * @throws UnusableDatabaseError if the server cannot be reached or used, or a migration must not run; the reason of the
 * signal
 */
export async function migrateServer({
  url,
  log,
  signal,
  indexes,
}: ServerMigration): Promise<MigratedStore> {
  try {
    await refuseServer(url);
    const applied = await migrateOn(url, log, signal);
    return { applied, indexes: await buildOn(url, indexes, log, signal) };
  } catch (error) {
    throw explainConnectionError(error);
  }
}

/** Applies the pending migrations over a connection of its own. @returns their names @throws as {@link migrate} does */
export async function migrateOn(url: string, log: Log, signal?: AbortSignal): Promise<string[]> {
  const { connection, close } = await openServerConnection(url);
  try {
    return await migrate(connection, await readMigrations(), log, signal);
  } finally {
    await close();
  }
}

/** @throws UnusableDatabaseError if the service cannot use the server, before anything takes a lock on it */
export async function refuseServer(url: string): Promise<void> {
  const refusal = await serverRefusal(url);
  if (refusal !== null) throw new UnusableDatabaseError(`${refusal.detail}. ${refusal.fix}`);
}
