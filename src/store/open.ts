import { resolve } from "node:path";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import { migrateEmbedded, openEmbedded } from "./embedded";
import { migrateServer, openPostgres } from "./postgres";
import type { Store } from "./store";

/** What {@link openStore} needs. */
export interface StoreOptions {
  config: Pick<Config, "DATA_DIR" | "DATABASE_URL" | "DATABASE_POOL" | "REDIS_URL">;
  log: Log;
  /**
   * Whether this process is a node of the service, which holds a lock on PostgreSQL: alone without
   * REDIS_URL, together with its like with it. Tools pass false. The embedded database always belongs
   * to one process.
   */
  exclusive: boolean;
  /**
   * Called once if the node's lock was lost and could not be had again. Another node may run from
   * then on, so what this one keeps in memory may be stale; it should end.
   */
  onLost?: (reason: string) => void;
}

/**
 * Opens the store that the configuration asks for, migrated to this version: PostgreSQL with
 * DATABASE_URL, else the embedded database in DATA_DIR.
 * @throws Refusal, with the reason and the remedy, when the service must not start on it
 */
export async function openStore({ config, log, exclusive, onLost }: StoreOptions): Promise<Store> {
  const url = config.DATABASE_URL;
  return url === undefined
    ? openEmbedded(resolve(config.DATA_DIR), log)
    : openPostgres({ config, url, log, exclusive, onLost });
}

/**
 * Migrates the database that the configuration asks for, and does no more with it.
 * @returns the names of the migrations that ran now
 * @throws Refusal with the reason and the remedy; FolderInUse while a process has the embedded database
 */
export async function migrateStore(
  config: Pick<Config, "DATA_DIR" | "DATABASE_URL">,
  log: Log,
): Promise<string[]> {
  const url = config.DATABASE_URL;
  return url === undefined
    ? migrateEmbedded(resolve(config.DATA_DIR), log)
    : migrateServer(url, log);
}
