import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import type { Config } from "../../core/config";
import { openLog } from "../../core/log";
import { connect } from "./connection";
import { errorMessage } from "./error-properties";
import { lockFolder } from "./folder-lock";
import type { MigrationConnection } from "./migration/stoppable-connection";
import { refuseUnfinished } from "./unfinished-restore";
import { UnusableDatabaseError } from "./unusable-database-error";

/** A connection for migrations, and how to close it. */
export interface OpenMigrationConnection {
  connection: MigrationConnection;
  close(): Promise<void>;
}

/** Wraps a PGlite database as a connection for migrations. */
export function embeddedConnection(lite: PGlite): MigrationConnection {
  return {
    exec: (sql) => lite.exec(sql),
    query: async <Row>(sql: string, values?: unknown[]) =>
      (await lite.query<Row>(sql, values)).rows,
  };
}

/**
 * Lets the server notice soon that this process or its machine is gone: it then cancels the statement and releases the
 * migration lock. Returns the process id of the server's side.
 */
const DETECT_DEAD_CLIENT = `SELECT pg_backend_pid() AS pid,
  set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;
/** The same during a statement. Servers before PostgreSQL 14 finish it first. */
const CHECK_CLIENT = `SELECT set_config('client_connection_check_interval', '1s', false)
  WHERE current_setting('client_connection_check_interval', true) IS NOT NULL`;

/** Opens a connection to a PostgreSQL server without a statement timeout. */
export async function openServerConnection(url: string): Promise<OpenMigrationConnection> {
  const client = await connect(url, "signalbox-migration");
  const { rows } = await client.query<{ pid: number }>(DETECT_DEAD_CLIENT);
  // A server on a platform where it cannot check its clients refuses the setting.
  await client.query(CHECK_CLIENT).catch(() => undefined);
  return {
    connection: {
      exec: (sql) => client.query(sql),
      query: async (sql, values) => (await client.query(sql, values)).rows,
      cancel: () => cancelStatement(url, rows[0]?.pid),
    },
    close: () => client.end(),
  };
}

/** Cancels the running statement of a connection, over another one. */
async function cancelStatement(url: string, pid: number | undefined): Promise<void> {
  const other = await connect(url, "signalbox-migration");
  try {
    await other.query("SELECT pg_cancel_backend($1)", [pid]);
  } finally {
    await other.end();
  }
}

/**
 * Opens the configured database for a tool, without migrating it.
 * @throws UnusableDatabaseError if there is no embedded database or it cannot be opened, FolderInUseError
 * while another process uses it
 */
export async function openMigrationConnection(
  config: Pick<Config, "DATA_DIR" | "DATABASE_URL">,
): Promise<OpenMigrationConnection> {
  if (config.DATABASE_URL !== undefined) return openServerConnection(config.DATABASE_URL);
  const folder = resolve(config.DATA_DIR);
  if (!existsSync(join(folder, "db", "PG_VERSION"))) {
    throw new UnusableDatabaseError(`There is no embedded database in ${folder}.`);
  }
  const lock = await lockFolder(folder, openLog("warn"));
  const dataDir = join(folder, "db");
  try {
    refuseUnfinished(folder);
    // Loaded lazily to save its memory on a node with PostgreSQL.
    const { PGlite } = require("@electric-sql/pglite") as typeof import("@electric-sql/pglite");
    const lite = await PGlite.create({ dataDir });
    return {
      connection: embeddedConnection(lite),
      close: async () => {
        await lite.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error instanceof UnusableDatabaseError ? error : cannotOpenError(dataDir, error);
  }
}

/** The error for an embedded database that cannot be opened. */
export function cannotOpenError(dataDir: string, cause: unknown): UnusableDatabaseError {
  return new UnusableDatabaseError(
    `The embedded database in ${dataDir} cannot be opened: ${errorMessage(cause)}. Restore a backup of the folder, or remove it to start with an empty database; its data is then lost.`,
    { cause },
  );
}
