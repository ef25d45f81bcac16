import type { Config } from "../../core/config";
import { checkIntendedDatabase } from "../../core/startup/check-machine";
import { FolderInUseError } from "../../platform/store/folder-lock";
import { migrateStore } from "../../platform/store/open";
import { CommandError } from "./connection/command-error";
import { progressLog } from "./connection/progress-log";

/** Signals that stop the migration. A second one ends the process at once, which is safe too. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
const STOPPED =
  "Stopped: the migration that ran was rolled back; those before it are applied and recorded.";

/**
 * Migrates the configured database, and reports progress on standard error.
 * @returns the names of the migrations that were applied
 * @throws UnusableDatabaseError
 * @throws StartError if it would create an embedded database although a variable of PostgreSQL is misspelled
 * @throws CommandError while another process uses the embedded database, and after SIGINT or SIGTERM
 */
export async function migrateDatabase(config: Config): Promise<string[]> {
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
