import type { Log } from "../../core/log";
import { type MigrationConnection, StoppableConnection } from "./migration/stoppable-connection";

/**
 * An index that only makes statements faster, of a table that may be too large for a migration: its build there would
 * keep everybody from writing. It is built while nodes serve, after the migrations.
 */
export interface ConcurrentIndex {
  /** A name that no other index has had: an index is replaced by one with another name. */
  name: string;
  table: string;
  /** The columns and conditions, as they follow the table: `("application_id", "id") WHERE …`. */
  definition: string;
}

/**
 * The indexes that the service builds concurrently. They are neither in prisma/migrations nor in schema.prisma. Their
 * record are the catalogs: an index is missing, invalid or valid.
 */
export const CONCURRENT_INDEXES: readonly ConcurrentIndex[] = [];

/** "sigindex" in ASCII, a key that no other application uses. */
const KEY = "8316291889437631864";
/**
 * The pause between attempts to take the lock, in milliseconds. A statement that waits for it would hold a snapshot, and
 * the build waits for all snapshots.
 */
const PAUSE_MS = 1_000;

const STATES = `SELECT c.relname AS name, i.indisvalid AS valid
  FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1::text[])`;

/** An index that is not usable yet. */
interface UnbuiltIndex extends ConcurrentIndex {
  /** Whether the build of it has begun: a process builds it now, or has ended before it was complete. */
  isInvalid: boolean;
}

/** Finds the indexes that are missing or invalid, without writing. */
export async function unbuiltIndexes(
  connection: Pick<MigrationConnection, "query">,
  indexes: readonly ConcurrentIndex[],
): Promise<UnbuiltIndex[]> {
  if (indexes.length === 0) return [];
  const names = indexes.map(({ name }) => name);
  const rows = await connection.query<{ name: string; valid: boolean }>(STATES, [names]);
  const states = new Map(rows.map(({ name, valid }) => [name, valid]));
  return indexes
    .filter(({ name }) => states.get(name) !== true)
    .map((index) => ({ ...index, isInvalid: states.has(index.name) }));
}

/** Options of {@link buildIndexes}. */
export interface IndexBuild {
  indexes: readonly ConcurrentIndex[];
  /** Whether others use the database meanwhile. The embedded database has one connection, which builds plainly. */
  concurrently: boolean;
  log: Log;
  /** Stops the build. The index stays invalid, and the next build begins with dropping it. */
  signal?: AbortSignal;
}

/**
 * Builds the indexes that are missing, and those again whose build was interrupted. Of several processes one builds, and
 * the others wait for it.
 * @returns the names of the indexes that this process has built
 * @throws the database's error; the reason of the signal if it stopped the build
 */
export async function buildIndexes(
  connection: MigrationConnection,
  { indexes, concurrently, log, signal }: IndexBuild,
): Promise<string[]> {
  const stoppable = new StoppableConnection(connection, log, signal);
  try {
    while ((await unbuiltIndexes(stoppable, indexes)).length > 0) {
      if (await tryLock(stoppable)) {
        try {
          return await buildLocked(stoppable, indexes, concurrently ? "CONCURRENTLY " : "", log);
        } finally {
          await stoppable.cleanUp(`SELECT pg_advisory_unlock(${KEY})`);
        }
      }
      await stoppable.pause(PAUSE_MS);
    }
    return [];
  } finally {
    await stoppable.release();
  }
}

async function tryLock(connection: MigrationConnection): Promise<boolean> {
  const [row] = await connection.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(${KEY}) AS locked`,
  );
  return row?.locked === true;
}

async function buildLocked(
  connection: MigrationConnection,
  indexes: readonly ConcurrentIndex[],
  how: string,
  log: Log,
): Promise<string[]> {
  const unbuilt = await unbuiltIndexes(connection, indexes);
  for (const { name, table, definition, isInvalid } of unbuilt) {
    log.info({ index: name, table }, isInvalid ? "building an index again" : "building an index");
    if (isInvalid) await connection.exec(`DROP INDEX ${how}"${name}"`);
    await connection.exec(`CREATE INDEX ${how}"${name}" ON "${table}"${definition}`);
  }
  return unbuilt.map(({ name }) => name);
}
