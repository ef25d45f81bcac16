import type { Log } from "../core/log";
import { messageOf, textOf } from "./error-parts";
import type { Migration } from "./migrations";
import { Refusal } from "./refusal";

/** The one connection that migrations run on, with no limit on the time a statement takes. */
export interface MigrationConnection {
  /** Runs one or several statements as one simple query: together, in one transaction. */
  exec(sql: string): Promise<unknown>;
  /** Runs one statement with values. */
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** The advisory lock under which Prisma's own tools migrate. */
const LOCK = 72707369;
const LOCK_WAIT = "5min";

/** Prisma's table of what ran, as its schema engine creates it. */
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
  /** What the database said when the migration failed. */
  logs: string | null;
}

/**
 * Brings a database up to the given migrations, in order, and keeps the records that Prisma's own
 * tools agree with. Any number of processes may call it at once: one works, the others wait.
 * @returns the names of the migrations that ran now
 * @throws Refusal when a migration failed, now or earlier, was edited after it ran, or is not known here
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: Migration[],
  log: Log,
): Promise<string[]> {
  await lock(connection, log);
  try {
    const pending = await examine(connection, migrations);
    for (const migration of pending) {
      log.info({ migration: migration.name }, "migrating the database");
      await apply(connection, migration);
    }
    return pending.map((migration) => migration.name);
  } finally {
    await connection.query("SELECT pg_advisory_unlock($1)", [LOCK]).catch((error: unknown) => {
      log.warn({ err: error }, "the lock of the migrations could not be given back");
    });
  }
}

async function lock(connection: MigrationConnection, log: Log): Promise<void> {
  const [row] = await connection.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_lock($1) AS locked",
    [LOCK],
  );
  if (row?.locked) return;
  log.info("another process migrates the database; waiting for it");
  await connection.exec(`SET lock_timeout = '${LOCK_WAIT}'`);
  try {
    await connection.query("SELECT pg_advisory_lock($1)", [LOCK]);
  } catch (error) {
    if (textOf(error, "code") !== "55P03") throw error;
    throw new Refusal(
      `Another process has held the lock of the migrations (advisory lock ${LOCK}) for five minutes. Wait until it has finished, or end it, then start again.`,
    );
  } finally {
    await connection.exec("SET lock_timeout = DEFAULT");
  }
}

/** Compares what ran with what is there; answers what is still to run. */
async function examine(
  connection: MigrationConnection,
  migrations: Migration[],
): Promise<Migration[]> {
  const { pending, recorded } = await pendingMigrations(connection, migrations);
  if (!recorded) await connection.exec(TABLE);
  return pending;
}

/**
 * The migrations that are still to run on a database, which is only looked at.
 * @returns whether it has records of any as well; one without is empty
 * @throws Refusal as {@link migrate} does
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
      throw new Refusal(
        "The database holds tables, but no record of this service's migrations. Give the service a database of its own, or one that it made.",
      );
    }
    return { pending: migrations, recorded: false };
  }
  const rows = await connection.query<AppliedRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, logs
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of rows) refuseUnlessSound(row, known.get(row.migration_name));
  const applied = new Set(rows.map((row) => row.migration_name));
  const pending = migrations.filter((migration) => !applied.has(migration.name));
  return { pending, recorded: true };
}

function refuseUnlessSound(row: AppliedRow, migration: Migration | undefined): void {
  const name = row.migration_name;
  if (!row.finished) {
    throw new Refusal(
      row.logs === null
        ? `The migration ${name} began on this database, and its process ended before it was recorded as done. Look whether its changes are there: it ran in full or not at all. ${resolution(name)}`
        : `The migration ${name} failed on this database earlier and was rolled back: ${row.logs}\nCorrect the cause. ${resolution(name)}`,
    );
  }
  if (!migration) {
    throw new Refusal(
      `The database has the migration ${name}, which this version does not know: a newer version of the service has run on it. Start that version or a later one, or put back a copy of the database from before.`,
    );
  }
  if (![migration.checksum, ...migration.otherChecksums].includes(row.checksum)) {
    throw new Refusal(
      `The migration ${name} was changed after it ran on this database: prisma/migrations/${name}/migration.sql is not the file that the database knows. Put the original file back; a change of the model is a migration of its own.`,
    );
  }
}

function resolution(name: string): string {
  return `Record what is true with "npm run migration -- --rolled-back ${name}" when nothing of it is there, or "npm run migration -- --applied ${name}" when all of it is, then start again. Or put back a copy of the database from before.`;
}

/**
 * Records what became of a migration that began and did not finish, as `prisma migrate resolve` does:
 * `rolled-back` lets it run again, `applied` takes it for done.
 * @returns whether there was such a migration
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
    // A script with a BEGIN of its own leaves its broken transaction open.
    await connection.exec("ROLLBACK");
    await connection.query("UPDATE _prisma_migrations SET logs = $1 WHERE id = $2", [
      text,
      row?.id,
    ]);
    throw new Refusal(
      `The migration ${migration.name} failed and was rolled back: ${text}\nCorrect the cause, or return to the version that ran before. ${resolution(migration.name)}`,
      { cause: error },
    );
  }
  await connection.query(
    `UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = applied_steps_count + 1
       WHERE id = $1`,
    [row?.id],
  );
}

/** What the database said, in the words that Prisma keeps as logs. */
function databaseText(error: unknown): string {
  const state = textOf(error, "code");
  return `${messageOf(error)}${state === undefined ? "" : ` (SQLSTATE ${state})`}`;
}
