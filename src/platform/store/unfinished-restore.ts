import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UnusableDatabaseError } from "./unusable-database-error";

/**
 * The file that a data folder has while its database is restored. A process that is killed leaves it, so that nothing
 * takes a part of a backup for the whole.
 */
const MARK = "restore.unfinished";

/** Marks the database of a folder as unfinished. */
export function markUnfinished(folder: string): Promise<void> {
  return writeFile(join(folder, MARK), "", { mode: 0o600 });
}

/** Marks the database of a folder as complete, or gone. */
export function markFinished(folder: string): Promise<void> {
  return rm(join(folder, MARK), { force: true });
}

/** Whether a restore of this folder was interrupted. */
export function isUnfinished(folder: string): boolean {
  return existsSync(join(folder, MARK));
}

/** @throws UnusableDatabaseError if a restore of this folder was interrupted */
export function refuseUnfinished(folder: string): void {
  if (!isUnfinished(folder)) return;
  throw new UnusableDatabaseError(
    `A restore of ${folder} was interrupted: its database is incomplete. Run signalbox restore again, or remove the folder.`,
  );
}
