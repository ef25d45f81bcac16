import type { Client } from "pg";
import type { Clock } from "../../core/clock";
import type { Problem } from "../../core/startup/start-error";
import { CONCURRENT_INDEXES, unbuiltIndexes } from "./concurrent-indexes";
import { connect } from "./connection";
import { propertyOf, stringPropertyOf } from "./error-properties";
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
  /** Names of the migrations of a newer version. */
  newer: string[];
  /** Names of the indexes that are not built yet. */
  unbuilt: string[];
  /** Number of migrations of this version of the service. */
  migrationCount: number;
}

/** Why the service cannot use a pooler. docs/OPERATIONS.md has the same sentences, as of {@link READ_ONLY}. */
const POOLED: Problem = {
  detail:
    "DATABASE_URL leads to a connection pooler in transaction or statement mode, which supports neither the locks nor the prepared statements of the service",
  fix: "Connect to PostgreSQL directly, or set pool_mode to session.",
};

/** Why the service cannot use a standby. */
export const READ_ONLY: Problem = {
  detail: "The database is read-only: a standby, or read-only by its settings",
  fix: "Point DATABASE_URL at the primary.",
};

/** Time limit of a query through a pooler, which waits while it has no free connection, in milliseconds. */
const POOLER_MS = 5_000;
/** Number of transactions that run while a pooler is tested. */
const POOLER_TRANSACTIONS = 3;
/** SQLSTATE of protocol_violation, with which a pooler in statement mode refuses a transaction. */
const PROTOCOL_VIOLATION = "08P01";

type Row = Pick<
  DatabaseStatus,
  "version" | "versionNumber" | "encoding" | "readOnly" | "mayCreateTables" | "mayKeepJobs"
>;

const READ_ONLY_FACT = "pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";

const FACTS = `SELECT current_setting('server_version') AS version,
    current_setting('server_version_num')::int AS "versionNumber",
    current_setting('server_encoding') AS encoding,
    ${READ_ONLY_FACT} AS "readOnly",
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
  const unbuilt = await unbuiltIndexes(connection, CONCURRENT_INDEXES);
  return {
    ...row,
    ...state,
    unbuilt: unbuilt.map(({ name }) => name),
    clockAheadMs,
    migrationCount: migrations.length,
  };
}

async function migrationState(
  find: () => ReturnType<typeof pendingMigrations>,
): Promise<Pick<DatabaseStatus, "pending" | "newer" | "refusal">> {
  try {
    const { pending, newer } = await find();
    return { pending: pending.map(({ name }) => name), newer, refusal: null };
  } catch (error) {
    if (error instanceof UnusableDatabaseError)
      return { pending: [], newer: [], refusal: error.message };
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

/**
 * Finds why the service cannot use a PostgreSQL server, whatever the database holds.
 * @returns null if it can
 * @throws the error of the connection if there is none, or a pooler has too few
 */
export async function serverRefusal(url: string): Promise<Problem | null> {
  const client = await connect(url, "signalbox-start", POOLER_MS);
  try {
    if (await isShared(client, url)) return POOLED;
    const { rows } = await client.query(`SELECT ${READ_ONLY_FACT} AS "readOnly"`);
    return rows[0]?.readOnly ? READ_ONLY : null;
  } finally {
    await client.end();
  }
}

/** The part of {@link serverRefusal} that concerns a pooler. */
export async function poolerRefusal(url: string): Promise<Problem | null> {
  const client = await connect(url, "signalbox-start", POOLER_MS);
  try {
    return (await isShared(client, url)) ? POOLED : null;
  } finally {
    await client.end();
  }
}

/**
 * Whether a pooler may run two statements of a connection on two connections of the server. Without a pooler, a
 * connection has the process id of its server from the start; a pooler makes one up.
 */
async function isShared(client: Client, url: string): Promise<boolean> {
  const server = await backendOf(client);
  if (propertyOf(client, "processID") === server) return false;
  const others: Client[] = [];
  try {
    // Without other work, a pooler would mostly choose the same connection of the server again.
    for (let count = 0; count < POOLER_TRANSACTIONS; count++) {
      const other = await connect(url, "signalbox-start", POOLER_MS);
      others.push(other);
      await other.query("BEGIN");
      if ((await backendOf(other)) === server || (await backendOf(client)) !== server) return true;
    }
    return false;
  } catch (error) {
    if (stringPropertyOf(error, "code") === PROTOCOL_VIOLATION) return true;
    throw error;
  } finally {
    await Promise.allSettled(others.map((other) => other.end()));
  }
}

/** The process id of the server's connection that runs a statement. */
async function backendOf(client: Client): Promise<unknown> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid;
}
