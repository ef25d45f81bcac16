import { monotonicNow } from "../../core/clock";
import type { Log } from "../../core/log";
import { isDiskFull } from "./database-errors";
import { errorMessage, stringPropertyOf } from "./error-properties";
import { compatibilityOf, mayRunAfter } from "./migration/compatibility";
import { hasRun } from "./migration/script-objects";
import { transactionControlOf } from "./migration/script-statements";
import { type MigrationConnection, StoppableConnection } from "./migration/stoppable-connection";
import type { Migration } from "./migrations";
import { UnusableDatabaseError } from "./unusable-database-error";

/** The advisory lock that Prisma's own tools take to migrate. */
const LOCK = 72707369;
/**
 * Attempts to take it, for five minutes, and the pause between them in milliseconds. A statement that waits would hold a
 * snapshot, for which the concurrent build of an index waits, and a migration may wait for that build.
 */
const LOCK_ATTEMPTS = 600;
const LOCK_PAUSE_MS = 500;

/**
 * How long a migration waits for a lock while nodes serve: statements that come after it wait behind it. Then it is rolled
 * back, and tried again after a pause in which those run.
 */
const BEGIN = "BEGIN; SET LOCAL lock_timeout = '5s'";
const RETRY_PAUSE_MS = 2_000;
/** For how long a migration is tried again, in milliseconds. */
const RETRY_MS = 300_000;
/** SQLSTATE of deadlock_detected and lock_not_available. */
const RETRIED: ReadonlySet<string> = new Set(["40P01", "55P03"]);
/**
 * SQLSTATE of what the server rolled back for a reason outside of the migration: classes 40 (transaction rollback), 53
 * (insufficient resources) and 57 (operator intervention), and 55P03.
 */
const TRANSIENT = /^(?:40|53|55P03|57)/;

/** Prisma's migration history table, as its schema engine creates it. */
const TABLE = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/** Whether the database has that table. */
const HAS_HISTORY =
  "to_regclass(quote_ident(current_schema()) || '._prisma_migrations') IS NOT NULL";

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
  /** The database's error, if the migration failed; else which earlier versions may run after it, if any may. */
  logs: string | null;
}

/** What migrating a store has done. */
export interface MigratedStore {
  /** Names of the migrations that were applied. */
  applied: string[];
  /** Names of the indexes that were built. */
  indexes: string[];
}

/**
 * Applies pending migrations in order, and records them as Prisma's own tools do. A migration and its record are one
 * transaction, so a process that ends at any time leaves both or neither. Several processes may call it at once: one
 * migrates, the others wait. What the server rolls back for a reason outside of the migration is not recorded.
 * @param signal stops the migrations: the running statement is cancelled, and its migration rolled back
 * @returns the names of the migrations that were applied
 * @throws UnusableDatabaseError if a migration fails or failed earlier, was edited after it ran, is unknown, or
 * controls transactions, or the server interrupted it; the reason of the signal if it stopped the migrations
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: Migration[],
  log: Log,
  signal?: AbortSignal,
): Promise<string[]> {
  const stoppable = new StoppableConnection(connection, log, signal);
  try {
    await lock(stoppable, log);
    try {
      const pending = await preparePending(stoppable, migrations, log);
      for (const migration of pending) {
        log.info({ migration: migration.name }, "migrating the database");
        await apply(stoppable, migration, log);
      }
      return pending.map((migration) => migration.name);
    } finally {
      await stoppable.cleanUp("SELECT pg_advisory_unlock($1)", [LOCK]);
    }
  } finally {
    await stoppable.release();
  }
}

async function lock(connection: StoppableConnection, log: Log): Promise<void> {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    const [row] = await connection.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_lock($1) AS locked",
      [LOCK],
    );
    if (row?.locked) return;
    if (attempt === 0) log.info("another process is migrating the database; waiting for it");
    await connection.pause(LOCK_PAUSE_MS);
  }
  throw new UnusableDatabaseError(
    `Another process has held the migration lock (advisory lock ${LOCK}) for five minutes. Wait until it has finished, or stop it, then start again.`,
  );
}

/**
 * Finds pending migrations, creates the history table if it is missing, and records what became of migrations that a
 * killed process left unfinished.
 */
async function preparePending(
  connection: MigrationConnection,
  migrations: Migration[],
  log: Log,
): Promise<Migration[]> {
  const state = await pendingMigrations(connection, migrations);
  const { pending, unfinished, newer } = state;
  if (!state.recorded) await connection.exec(TABLE);
  if (newer.length > 0) {
    log.warn(
      { migrations: newer },
      "a newer version of the service has migrated the database; this version runs on its schema",
    );
  }
  for (const { name, applied } of unfinished) {
    log.warn(
      { migration: name, applied },
      `a process ended before it recorded the migration; the schema shows that it was ${applied ? "applied" : "not applied"}`,
    );
    await resolveMigration(connection, name, applied ? "applied" : "rolled-back");
  }
  return pending;
}

/** What a database says about its migrations. */
export interface MigrationState {
  pending: Migration[];
  /**
   * Migrations that an earlier version of the service, or Prisma's own tools, started but did not record as finished, and
   * whether their changes are in the schema. Those without are pending too.
   */
  unfinished: { name: string; applied: boolean }[];
  /** Names of the migrations of newer versions, on whose schema this version may run. */
  newer: string[];
  /** Whether the database has a migration history. Without one it is empty. */
  recorded: boolean;
}

/**
 * Finds the pending migrations of a database without writing to it.
 * @throws UnusableDatabaseError as {@link migrate} does
 */
export async function pendingMigrations(
  connection: Pick<MigrationConnection, "query">,
  migrations: Migration[],
): Promise<MigrationState> {
  for (const migration of migrations) checkScript(migration);
  const [state] = await connection.query<{ recorded: boolean; tables: boolean }>(
    `SELECT ${HAS_HISTORY} AS recorded,
       EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS tables`,
  );
  if (!state?.recorded) {
    if (state?.tables) {
      throw new UnusableDatabaseError(
        "The database contains tables, but no migration history of this service. Use an empty database, or one that this service created.",
      );
    }
    return { pending: migrations, unfinished: [], newer: [], recorded: false };
  }
  const rows = await connection.query<AppliedRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, logs
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const applied = new Set<string>();
  const unfinished: MigrationState["unfinished"] = [];
  const newer: string[] = [];
  for (const row of rows) {
    const migration = known.get(row.migration_name);
    if (!migration && row.finished && mayRunAfter(row.logs, (name) => known.has(name))) {
      newer.push(row.migration_name);
      continue;
    }
    const ran = row.finished ? null : await findOutcome(connection, row, migration);
    if (ran !== null) unfinished.push({ name: row.migration_name, applied: ran });
    else checkApplied(row, migration);
    if (ran !== false) applied.add(row.migration_name);
  }
  const pending = migrations.filter((migration) => !applied.has(migration.name));
  return { pending, unfinished, newer, recorded: true };
}

/** @throws UnusableDatabaseError if a script cannot be one transaction with its record */
function checkScript({ name, script }: Migration): void {
  const statement = transactionControlOf(script);
  if (statement === null) return;
  throw new UnusableDatabaseError(
    `The migration ${name} controls transactions ("${statement}"). A migration runs in one transaction with its record: remove such statements from prisma/migrations/${name}/migration.sql.`,
  );
}

/**
 * Whether the script of an unfinished migration ran, by the schema. It was one implicit transaction, so it was applied
 * either completely or not at all.
 * @returns null if the migration failed, is another one than this version has, or leaves no trace in the schema
 */
async function findOutcome(
  connection: Pick<MigrationConnection, "query">,
  row: AppliedRow,
  migration: Migration | undefined,
): Promise<boolean | null> {
  if (row.logs !== null || !migration || !hasChecksum(migration, row.checksum)) return null;
  return hasRun((text, values) => connection.query(text, values), migration.script);
}

function hasChecksum({ checksum, otherChecksums }: Migration, recorded: string): boolean {
  return checksum === recorded || otherChecksums.includes(recorded);
}

function checkApplied(row: AppliedRow, migration: Migration | undefined): void {
  const name = row.migration_name;
  if (!row.finished) {
    throw new UnusableDatabaseError(
      row.logs === null
        ? `The migration ${name} was started on this database, but its process ended before the result was recorded. It was applied either completely or not at all: check whether its changes are in the database. ${resolveHint(name)}`
        : `The migration ${name} failed on this database earlier and was rolled back: ${row.logs}\nFix the cause. ${resolveHint(name)}`,
    );
  }
  if (!migration) {
    throw new UnusableDatabaseError(
      `The database has the migration ${name}, which this version does not know: a newer version of the service has changed the database so that this one cannot run on it. Start that version or a later one, or restore an earlier backup of the database.`,
    );
  }
  if (!hasChecksum(migration, row.checksum)) {
    throw new UnusableDatabaseError(
      `The migration ${name} was changed after it was applied to this database: the checksum of prisma/migrations/${name}/migration.sql differs from the recorded one. Restore the original file; put changes of the model into a new migration.`,
    );
  }
}

function resolveHint(name: string): string {
  return `Record the result with "signalbox migrate --rolled-back ${name}" if its changes are missing, or "signalbox migrate --applied ${name}" if they are present, then start again. Or restore an earlier backup of the database.`;
}

/** What became of a migration. */
export type MigrationOutcome = "rolled-back" | "applied";

/**
 * Records the result of a migration that was started but not finished, as `prisma migrate resolve` does:
 * `rolled-back` lets it run again, `applied` marks it as done.
 * @returns false if there is no such migration
 */
export async function resolveMigration(
  connection: MigrationConnection,
  name: string,
  outcome: MigrationOutcome,
): Promise<boolean> {
  const [state] = await connection.query<{ recorded: boolean }>(
    `SELECT ${HAS_HISTORY} AS recorded`,
  );
  if (!state?.recorded) return false;
  const change =
    outcome === "applied"
      ? "finished_at = now(), applied_steps_count = applied_steps_count + 1"
      : "rolled_back_at = now()";
  const rows = await connection.query(
    `UPDATE _prisma_migrations SET ${change}
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL RETURNING id`,
    [name],
  );
  return rows.length > 0;
}

/** Applies a migration. It is tried again while others hold locks that it needs. */
async function apply(
  connection: StoppableConnection,
  migration: Migration,
  log: Log,
): Promise<void> {
  const start = monotonicNow();
  for (;;) {
    try {
      await connection.exec(BEGIN);
      await connection.exec(migration.script);
      await connection.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count, logs)
         VALUES (gen_random_uuid()::text, $1, $2, clock_timestamp(), 1, $3)`,
        [migration.checksum, migration.name, compatibilityOf(migration.script)],
      );
      await connection.exec("COMMIT");
      return;
    } catch (error) {
      await connection.cleanUp("ROLLBACK");
      if (connection.isStopped) throw error;
      const state = stringPropertyOf(error, "code") ?? "";
      if (!TRANSIENT.test(state) && !isDiskFull(error)) {
        throw await recordFailure(connection, migration, error);
      }
      if (!RETRIED.has(state) || monotonicNow() - start > RETRY_MS) {
        throw transientError(migration, error, state);
      }
      log.warn(
        { migration: migration.name, err: error },
        "others hold a lock that the migration needs; it was rolled back and is tried again",
      );
    }
    await connection.pause(RETRY_PAUSE_MS);
  }
}

/** The error for a migration that was rolled back, and of which nothing is recorded. */
function transientError({ name }: Migration, cause: unknown, state: string): UnusableDatabaseError {
  const remedy = RETRIED.has(state)
    ? "Another transaction holds a lock that it needs: wait until dumps and long queries have ended"
    : "Fix the cause";
  return new UnusableDatabaseError(
    `The migration ${name} was interrupted and rolled back: ${databaseText(cause)}\n${remedy}, then start again.`,
    { cause },
  );
}

/**
 * Records that a migration failed, as Prisma's own tools do: it blocks later ones until it is resolved.
 * @returns the error to throw: the database's own if the connection is lost, so that nothing could be recorded
 */
async function recordFailure(
  connection: MigrationConnection,
  migration: Migration,
  cause: unknown,
): Promise<unknown> {
  const text = databaseText(cause);
  try {
    await connection.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs)
         VALUES (gen_random_uuid()::text, $1, $2, $3)`,
      [migration.checksum, migration.name, text],
    );
  } catch {
    return cause;
  }
  return new UnusableDatabaseError(
    `The migration ${migration.name} failed and was rolled back: ${text}\nFix the cause, or return to the previous version of the service. ${resolveHint(migration.name)}`,
    { cause },
  );
}

/** The database's error, in the form that Prisma stores in `logs`. */
function databaseText(error: unknown): string {
  const state = stringPropertyOf(error, "code");
  return `${errorMessage(error)}${state === undefined ? "" : ` (SQLSTATE ${state})`}`;
}
