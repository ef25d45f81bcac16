import type { Config } from "../core/config";
import { printProblem } from "../core/console";
import { openLog } from "../core/log";
import { FolderInUseError } from "../store/folder-lock";
import { migrateStore } from "../store/open";
import { CommandError } from "./client/command-error";

/**
 * Migrates the configured database, and reports progress on standard error.
 * @returns the names of the migrations that were applied
 * @throws UnusableDatabaseError
 * @throws CommandError while another process uses the embedded database
 */
export async function migrateDatabase(config: Config): Promise<string[]> {
  try {
    return await migrateStore(config, openLog("info", { write: printProgress }));
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `${error.message}\nIf that process is the server, there is nothing to do: the server migrates the database at its start. Restart it after an update.`,
    );
  }
}

/** Prints a log line in short form. */
function printProgress(line: string): void {
  const { msg, migration } = JSON.parse(line) as { msg: string; migration?: string };
  printProblem(migration === undefined ? msg : `${msg}: ${migration}`);
}
