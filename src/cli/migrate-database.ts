import type { Config } from "../core/config";
import { printProblem } from "../core/console";
import { openLog } from "../core/log";
import { FolderInUse } from "../store/folder-lock";
import { migrateStore } from "../store/open";
import { CommandError } from "./command-error";

/**
 * Migrates the database of the configuration, and says on standard error what takes time.
 * @returns the names of the migrations that ran now
 * @throws Refusal, CommandError while a server has the embedded database
 */
export async function migrateDatabase(config: Config): Promise<string[]> {
  try {
    return await migrateStore(config, openLog("info", { write: tell }));
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    throw new CommandError(
      `${error.message}\nWhere that process is the server, nothing needs to be done here: the server migrates the database at its start. Restart it after an update.`,
    );
  }
}

/** A line of the log as a note for the person at the terminal. */
function tell(line: string): void {
  const { msg, migration } = JSON.parse(line) as { msg: string; migration?: string };
  printProblem(migration === undefined ? msg : `${msg}: ${migration}`);
}
