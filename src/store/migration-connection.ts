import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import type { Config } from "../core/config";
import { openLog } from "../core/log";
import { connect } from "./connection";
import { errorMessage } from "./error-properties";
import { lockFolder } from "./folder-lock";
import type { MigrationConnection } from "./migrate";
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

/** Opens a connection to a PostgreSQL server without a statement timeout. */
export async function openServerConnection(url: string): Promise<OpenMigrationConnection> {
  const client = await connect(url, "signalbox-migration");
  return {
    connection: {
      exec: (sql) => client.query(sql),
      query: async (sql, values) => (await client.query(sql, values)).rows,
    },
    close: () => client.end(),
  };
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
    throw cannotOpenError(dataDir, error);
  }
}

/** The error for an embedded database that cannot be opened. */
export function cannotOpenError(dataDir: string, cause: unknown): UnusableDatabaseError {
  return new UnusableDatabaseError(
    `The embedded database in ${dataDir} cannot be opened: ${errorMessage(cause)}. Restore a backup of the folder, or remove it to start with an empty database; its data is then lost.`,
    { cause },
  );
}
