import type { Log } from "../core/log";
import { errorMessage, stringPropertyOf } from "./error-properties";
import type { Migration } from "./migrations";
import { UnusableDatabaseError } from "./unusable-database-error";

/** A connection for migrations, without a statement timeout. */
export interface MigrationConnection {
  /** Runs one or more statements as a simple query, in one implicit transaction. */
  exec(sql: string): Promise<unknown>;
  /** Runs one statement with parameters. */
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** The advisory lock that Prisma's own tools take to migrate. */
const LOCK = 72707369;
const LOCK_WAIT = "5min";

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

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
  /** The database's error, if the migration failed. */
  logs: string | null;
}

/**
 * Applies pending migrations in order, and records them as Prisma's own tools do. Several processes may call
 * it at once: one migrates, the others wait.
 * @returns the names of the migrations that were applied
 * @throws UnusableDatabaseError if a migration fails or failed earlier, was edited after it ran, or is
 * unknown
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: Migration[],
  log: Log,
): Promise<string[]> {
  await lock(connection, log);
  try {
    const pending = await preparePending(connection, migrations);
    for (const migration of pending) {
      log.info({ migration: migration.name }, "migrating the database");
      await apply(connection, migration);
    }
    return pending.map((migration) => migration.name);
  } finally {
    await connection.query("SELECT pg_advisory_unlock($1)", [LOCK]).catch((error: unknown) => {
      log.warn({ err: error }, "the migration lock could not be released");
    });
  }
}

async function lock(connection: MigrationConnection, log: Log): Promise<void> {
  const [row] = await connection.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_lock($1) AS locked",
    [LOCK],
  );
  if (row?.locked) return;
  log.info("another process is migrating the database; waiting for it");
  await connection.exec(`SET lock_timeout = '${LOCK_WAIT}'`);
  try {
    await connection.query("SELECT pg_advisory_lock($1)", [LOCK]);
  } catch (error) {
    if (stringPropertyOf(error, "code") !== "55P03") throw error;
    throw new UnusableDatabaseError(
      `Another process has held the migration lock (advisory lock ${LOCK}) for five minutes. Wait until it has finished, or stop it, then start again.`,
    );
  } finally {
    await connection.exec("SET lock_timeout = DEFAULT");
  }
}

/** Finds pending migrations, and creates the history table if it is missing. */
async function preparePending(
  connection: MigrationConnection,
  migrations: Migration[],
): Promise<Migration[]> {
  const { pending, recorded } = await pendingMigrations(connection, migrations);
  if (!recorded) await connection.exec(TABLE);
  return pending;
}

/**
 * Finds the pending migrations of a database without writing to it.
 * @returns the migrations, and whether the database has a migration history; without one it is empty
 * @throws UnusableDatabaseError as {@link migrate} does
 */
export async function pendingMigrations(
  connection: MigrationConnection,
  migrations: Migration[],
): Promise<{ pending: Migration[]; recorded: boolean }> {
  const [state] = await connection.query<{ recorded: boolean; tables: boolean }>(
    `SELECT to_regclass(quote_ident(current_schema()) || '._prisma_migrations') IS NOT NULL AS recorded,
       EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()) AS tables`,
  );
  if (!state?.recorded) {
    if (state?.tables) {
      throw new UnusableDatabaseError(
        "The database contains tables, but no migration history of this service. Use an empty database, or one that this service created.",
      );
    }
    return { pending: migrations, recorded: false };
  }
  const rows = await connection.query<AppliedRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, logs
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of rows) checkApplied(row, known.get(row.migration_name));
  const applied = new Set(rows.map((row) => row.migration_name));
  const pending = migrations.filter((migration) => !applied.has(migration.name));
  return { pending, recorded: true };
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
      `The database has the migration ${name}, which this version does not know: a newer version of the service has used the database. Start that version or a later one, or restore an earlier backup of the database.`,
    );
  }
  if (![migration.checksum, ...migration.otherChecksums].includes(row.checksum)) {
    throw new UnusableDatabaseError(
      `The migration ${name} was changed after it was applied to this database: the checksum of prisma/migrations/${name}/migration.sql differs from the recorded one. Restore the original file; put changes of the model into a new migration.`,
    );
  }
}

function resolveHint(name: string): string {
  return `Record the result with "npm run migration -- --rolled-back ${name}" if its changes are missing, or "npm run migration -- --applied ${name}" if they are present, then start again. Or restore an earlier backup of the database.`;
}

/**
 * Records the result of a migration that was started but not finished, as `prisma migrate resolve` does:
 * `rolled-back` lets it run again, `applied` marks it as done.
 * @returns false if there is no such migration
 */
export async function resolveMigration(
  connection: MigrationConnection,
  name: string,
  outcome: "rolled-back" | "applied",
): Promise<boolean> {
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

async function apply(connection: MigrationConnection, migration: Migration): Promise<void> {
  const [row] = await connection.query<{ id: string }>(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name)
       VALUES (gen_random_uuid()::text, $1, $2) RETURNING id`,
    [migration.checksum, migration.name],
  );
  try {
    await connection.exec(migration.script);
  } catch (error) {
    const text = databaseText(error);
    // A script with its own BEGIN leaves its failed transaction open.
    await connection.exec("ROLLBACK");
    await connection.query("UPDATE _prisma_migrations SET logs = $1 WHERE id = $2", [
      text,
      row?.id,
    ]);
    throw new UnusableDatabaseError(
      `The migration ${migration.name} failed and was rolled back: ${text}\nFix the cause, or return to the previous version of the service. ${resolveHint(migration.name)}`,
      { cause: error },
    );
  }
  await connection.query(
    `UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = applied_steps_count + 1
       WHERE id = $1`,
    [row?.id],
  );
}

/** The database's error, in the form that Prisma stores in `logs`. */
function databaseText(error: unknown): string {
  const state = stringPropertyOf(error, "code");
  return `${errorMessage(error)}${state === undefined ? "" : ` (SQLSTATE ${state})`}`;
}
