import type { Config } from "../../core/config";
import { checkIntendedDatabase } from "../../core/startup/check-machine";
import { explainConnectionError } from "../../platform/store/connection";
import { FolderInUseError } from "../../platform/store/folder-lock";
import {
  type MigratedStore,
  type MigrationOutcome,
  resolveMigration,
} from "../../platform/store/migrate";
import { openMigrationConnection } from "../../platform/store/migration-connection";
import { migrateStore } from "../../platform/store/open";
import { CommandError } from "./connection/command-error";
import { progressLog } from "./connection/progress-log";

/** Signals that stop the migration. A second one ends the process at once, which is safe too. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
const STOPPED =
  "Stopped: the migration that ran was rolled back; those before it are applied and recorded. An index that was being built is built again by the next run.";

/**
 * Migrates the configured database, builds the indexes that large tables lack, and reports progress on standard error.
 * @throws UnusableDatabaseError
 * @throws StartError if it would create an embedded database although a variable of PostgreSQL is misspelled
 * @throws CommandError while another process uses the embedded database, and after SIGINT or SIGTERM
 */
export async function migrateDatabase(config: Config): Promise<MigratedStore> {
  checkIntendedDatabase(config);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await migrateStore(config, progressLog(), stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) throw new CommandError(STOPPED);
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `${error.message}\nIf that process is the server, there is nothing to do: the server migrates the database at its start. Restart it after an update.`,
    );
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

/**
 * Records the result of a migration that was started on the configured database but not finished.
 * @throws CommandError if there is no such migration
 * @throws UnusableDatabaseError if the database cannot be opened
 */
export async function recordOutcome(
  config: Config,
  name: string,
  outcome: MigrationOutcome,
): Promise<void> {
  const { connection, close } = await openMigrationConnection(config).catch((error: unknown) => {
    throw explainConnectionError(error);
  });
  try {
    if (await resolveMigration(connection, name, outcome)) return;
    throw new CommandError(`The database has no unfinished migration ${name}.`);
  } finally {
    await close();
  }
}
