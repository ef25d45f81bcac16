import type { Clock } from "../core/clock";
import { type MigrationConnection, pendingMigrations } from "./migrate";
import { readMigrations } from "./migrations";
import { Refusal } from "./refusal";

/** The oldest PostgreSQL that the list of jobs runs on (pg-boss 10), by server_version_num. */
export const VERSION_MIN = 130_000;

/** What can be said of a database without changing it. */
export interface DatabaseFacts {
  /** As the server names it, `15.3`. */
  version: string;
  /** As a number that can be compared, 150003. */
  versionNumber: number;
  encoding: string;
  /** Whether it refuses to be written to: a standby, say. */
  readOnly: boolean;
  /** Whether this user may make tables where the service keeps its own. */
  mayCreateTables: boolean;
  /** Whether this user may keep the list of jobs: has the schema pgboss, or may create it. */
  mayKeepJobs: boolean;
  /** Milliseconds that the database's clock is ahead of this machine's. */
  clockAheadMs: number;
  /** Why the service does not start on it; null where nothing speaks against it. */
  refusal: string | null;
  /** Names of the migrations that are still to run. */
  pending: string[];
  /** How many migrations this version has. */
  migrations: number;
}

type Row = Pick<
  DatabaseFacts,
  "version" | "versionNumber" | "encoding" | "readOnly" | "mayCreateTables" | "mayKeepJobs"
>;

const LOOK = `SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS "versionNumber",
    current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "readOnly",
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreateTables",
    coalesce((SELECT has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE')
        FROM pg_namespace WHERE nspname = 'pgboss'),
      has_database_privilege(current_database(), 'CREATE')) AS "mayKeepJobs"`;

/** Looks at a database; nothing is written. */
export async function examineDatabase(
  connection: MigrationConnection,
  clock: Clock,
): Promise<DatabaseFacts> {
  const clockAheadMs = await compareClocks(connection, clock);
  const [row] = await connection.query<Row>(LOOK);
  if (!row) throw new Error("the database answered nothing");
  const migrations = await readMigrations();
  const { pending, refusal } = await look(() => pendingMigrations(connection, migrations));
  return { ...row, clockAheadMs, refusal, pending, migrations: migrations.length };
}

async function look(
  find: () => ReturnType<typeof pendingMigrations>,
): Promise<Pick<DatabaseFacts, "pending" | "refusal">> {
  try {
    const { pending } = await find();
    return { pending: pending.map(({ name }) => name), refusal: null };
  } catch (error) {
    if (error instanceof Refusal) return { pending: [], refusal: error.message };
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
