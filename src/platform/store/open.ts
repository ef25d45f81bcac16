import { resolve } from "node:path";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import { CONCURRENT_INDEXES, type ConcurrentIndex } from "./concurrent-indexes";
import type { MigratedStore } from "./migrate";
import { migrateServer } from "./migrate-server";
import { openPostgres } from "./postgres";
import type { Store } from "./store";

/** Options of {@link openStore}. */
export interface StoreOptions {
  config: Pick<Config, "DATA_DIR" | "DATABASE_URL" | "DATABASE_POOL" | "REDIS_URL">;
  log: Log;
  /**
   * Whether this process is a node of the service, which holds the node lock on PostgreSQL: exclusively
   * without REDIS_URL, shared with it. Tools pass false. The embedded database is always locked by one
   * process.
   */
  isNode: boolean;
  /**
   * Called once if the node lock was lost and could not be taken again. Another node may run from then on, so
   * data cached in memory may be stale, and this node should exit.
   */
  onLockLost?: (reason: string) => void;
  /** Stops the opening: a migration that runs is cancelled and rolled back, and everything is closed again. */
  signal?: AbortSignal;
  /** The indexes to build concurrently; by default those of the service. */
  indexes?: readonly ConcurrentIndex[];
}

/**
 * Opens and migrates the configured store: PostgreSQL with DATABASE_URL, otherwise the embedded database in
 * DATA_DIR.
 * @throws UnusableDatabaseError with the reason and the remedy if the service must not start on the database; the reason
 * of the signal
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { config, log, isNode, onLockLost, signal, indexes = CONCURRENT_INDEXES } = options;
  const url = config.DATABASE_URL;
  return url === undefined
    ? embedded().openEmbedded({ folder: resolve(config.DATA_DIR), log, signal, indexes })
    : openPostgres({ config, url, log, isNode, onLockLost, signal, indexes });
}

/**
 * Migrates the configured database, and builds the indexes that large tables lack.
 * @throws UnusableDatabaseError with the reason and the remedy, FolderInUseError while another process uses
 * the embedded database; the reason of the signal
 */
export async function migrateStore(
  config: Pick<Config, "DATA_DIR" | "DATABASE_URL">,
  log: Log,
  signal?: AbortSignal,
  indexes = CONCURRENT_INDEXES,
): Promise<MigratedStore> {
  const url = config.DATABASE_URL;
  return url === undefined
    ? embedded().migrateEmbedded({ folder: resolve(config.DATA_DIR), log, signal, indexes })
    : migrateServer({ url, log, signal, indexes });
}

/** The embedded database, which is loaded only if it is used: a node on PostgreSQL saves its memory. */
function embedded(): typeof import("./embedded") {
  return require("./embedded") as typeof import("./embedded");
}
