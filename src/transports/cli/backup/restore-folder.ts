import { resolve } from "node:path";
import type { Config } from "../../../core/config";
import { SECRET_KEY_FILE } from "../../../domain/applications/secret-key";
import { readDumpFile } from "../../../platform/backup/dump-file";
import { parseHeader } from "../../../platform/backup/entries";
import { loadDump, migrationsOf } from "../../../platform/backup/load";
import { fillEmbedded } from "../../../platform/store/embedded";
import { readMigrations } from "../../../platform/store/migrations";
import { CommandError } from "../connection/command-error";
import { progressLog } from "../connection/progress-log";
import { addSecretFiles, keyFileOf, readKeyFile, refuseOtherFiles } from "./secret-files";
import { verifyKey } from "./verify-key";

/** A finished restore. */
export interface Restore {
  /** The data folder. */
  folder: string;
  /** Number of rows by table. */
  rows: Record<string, number>;
}

/**
 * Restores a backup into DATA_DIR, which holds no database. If it fails, the folder has no database afterwards; if it is
 * interrupted, no server starts on the folder. Either way the command can run again.
 * @throws CommandError, BackupError or UnusableDatabaseError with the reason why nothing was restored
 */
export async function restoreFolder(config: Config, path: string): Promise<Restore> {
  if (config.DATABASE_URL !== undefined) {
    throw new CommandError(
      "DATABASE_URL is set: this command restores the embedded database. Use pg_restore for PostgreSQL (docs/BACKUP.md).",
    );
  }
  const folder = resolve(config.DATA_DIR);
  const file = resolve(path);
  await checkFile(file);
  const files = (await readKeyFile(keyFileOf(file))) ?? {};
  const key = files[SECRET_KEY_FILE];
  const keys = config.SECRET_KEY ?? (key === undefined ? undefined : [key.trim()]);
  if (keys === undefined) {
    throw new CommandError(
      `${keyFileOf(file)} is missing, or has no key, and SECRET_KEY is not set: the secrets in the backup cannot be decrypted. Put the file of that backup there, or set SECRET_KEY to its key.`,
    );
  }
  await refuseOtherFiles(folder, files);
  let rows: Restore["rows"] = {};
  await fillEmbedded(folder, progressLog(), {
    async fill(connection) {
      ({ rows } = await loadDump(readDumpFile(file), connection, progressLog()));
      await verifyKey(connection, { SECRET_KEY: keys, DATA_DIR: folder });
    },
    addFiles: () => addSecretFiles(folder, files),
  });
  return { folder, rows };
}

/** Reads a whole backup, so that a damaged one, or one of a newer version, is refused before anything is made. */
async function checkFile(file: string): Promise<void> {
  const migrations = await readMigrations();
  let isFirst = true;
  for await (const line of readDumpFile(file)) {
    if (isFirst) migrationsOf(parseHeader(line), migrations);
    isFirst = false;
  }
}
