import type { Clock } from "../core/clock";
import { pendingMigrations } from "./migrate";
import type { MigrationConnection } from "./migration/stoppable-connection";
import { readMigrations } from "./migrations";
import { UnusableDatabaseError } from "./unusable-database-error";

/** Minimum server_version_num, required by the job queue (pg-boss 10). */
export const MIN_SERVER_VERSION = 130_000;

/** The state of a database, found without changing it. */
export interface DatabaseStatus {
  /** server_version, such as `15.3`. */
  version: string;
  /** server_version_num, such as 150003. */
  versionNumber: number;
  encoding: string;
  /** Whether the database is read-only, such as a standby. */
  readOnly: boolean;
  /** Whether the database user may create tables in the schema of the service. */
  mayCreateTables: boolean;
  /** Whether the database user may use the schema `pgboss` of the job queue, or create it. */
  mayKeepJobs: boolean;
  /** How far the database clock is ahead of this machine's clock, in milliseconds. */
  clockAheadMs: number;
  /** Why the service cannot start on this database; null if it can. */
  refusal: string | null;
  /** Names of the pending migrations. */
  pending: string[];
  /** Number of migrations of this version of the service. */
  migrationCount: number;
}

type Row = Pick<
  DatabaseStatus,
  "version" | "versionNumber" | "encoding" | "readOnly" | "mayCreateTables" | "mayKeepJobs"
>;

const FACTS = `SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS "versionNumber",
    current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "readOnly",
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreateTables",
    coalesce((SELECT has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE')
        FROM pg_namespace WHERE nspname = 'pgboss'),
      has_database_privilege(current_database(), 'CREATE')) AS "mayKeepJobs"`;

/** Checks a database without writing to it. */
export async function inspectDatabase(
  connection: MigrationConnection,
  clock: Clock,
): Promise<DatabaseStatus> {
  const clockAheadMs = await compareClocks(connection, clock);
  const [row] = await connection.query<Row>(FACTS);
  if (!row) throw new Error("the database returned no row");
  const migrations = await readMigrations();
  const state = await migrationState(() => pendingMigrations(connection, migrations));
  return { ...row, ...state, clockAheadMs, migrationCount: migrations.length };
}

async function migrationState(
  find: () => ReturnType<typeof pendingMigrations>,
): Promise<Pick<DatabaseStatus, "pending" | "refusal">> {
  try {
    const { pending } = await find();
    return { pending: pending.map(({ name }) => name), refusal: null };
  } catch (error) {
    if (error instanceof UnusableDatabaseError) return { pending: [], refusal: error.message };
    throw error;
  }
}

async function compareClocks(connection: MigrationConnection, clock: Clock): Promise<number> {
  const before = clock.now();
  const [row] = await connection.query<{ ms: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms",
  );
  return (row?.ms ?? 0) - (before + clock.now()) / 2;
}
