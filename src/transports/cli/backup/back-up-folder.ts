import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../../core/config";
import { SECRET_KEY_FILE } from "../../../domain/applications/secret-key";
import { dumpDatabase } from "../../../platform/backup/dump";
import { writeDumpFile } from "../../../platform/backup/dump-file";
import { openForBackup } from "../../../platform/store/database-copies";
import { FolderInUseError } from "../../../platform/store/folder-lock";
import { pendingMigrations } from "../../../platform/store/migrate";
import { readMigrations } from "../../../platform/store/migrations";
import { CommandError } from "../connection/command-error";
import { keyFileOf, readKeyFile, readSecretFiles, writeKeyFile } from "./secret-files";
import { verifyKey } from "./verify-key";

/** A finished backup. */
export interface Backup {
  /** Path of the file. */
  file: string;
  /** Its size in bytes. */
  bytes: number;
  /** Path of the file with the secrets. */
  keyFile: string;
  /** Whether that file has the key of the database, which is SECRET_KEY otherwise. */
  hasKey: boolean;
}

/**
 * Backs up the embedded database of DATA_DIR to a file, while a server uses it or not.
 * @throws CommandError if a file of that name exists, or there is nothing to back up; UnusableDatabaseError, also if the
 * key does not decrypt the secrets
 */
export async function backUpFolder(config: Config, path: string): Promise<Backup> {
  if (config.DATABASE_URL !== undefined) {
    throw new CommandError(
      "DATABASE_URL is set: this command backs up the embedded database. Use pg_dump for PostgreSQL (docs/BACKUP.md).",
    );
  }
  const folder = resolve(config.DATA_DIR);
  const file = resolve(path);
  const keyFile = keyFileOf(file);
  if (existsSync(file)) throw new CommandError(`${file} exists: choose another name.`);
  const { connection, close } = await openForBackup(folder).catch((error: unknown) => {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `${error.message}\nIf that process is the server, it cannot be asked for a copy (its log says why): stop it, then run the backup again.`,
    );
  });
  try {
    const files = await readSecretFiles(folder);
    // The file may be left from the time before SECRET_KEY, and empty after a first start that was killed.
    const stored = files[SECRET_KEY_FILE]?.trim() ?? "";
    const keys = config.SECRET_KEY ?? (stored === "" ? undefined : [stored]);
    if (keys === undefined) {
      throw new CommandError(
        `${folder} has no ${SECRET_KEY_FILE}, and SECRET_KEY is not set: nobody could decrypt the secrets of this backup. Set the server's SECRET_KEY, or bring the file back.`,
      );
    }
    const { pending } = await pendingMigrations(connection, await readMigrations());
    // The key of an earlier version's database is checked when a restore has migrated it.
    if (pending.length === 0) await verifyKey(connection, { SECRET_KEY: keys, DATA_DIR: folder });
    // A killed backup of this folder leaves it, and a finished one whose other file was moved away.
    const present = await readKeyFile(keyFile);
    if (present !== null && !isDeepStrictEqual(present, files)) {
      throw new CommandError(`${keyFile} exists, with other content: choose another name.`);
    }
    // First, so that a backup that looks complete has its key.
    if (present === null) await writeKeyFile(keyFile, files);
    try {
      await writeDumpFile(file, dumpDatabase(connection));
    } catch (error) {
      if (present === null) await rm(keyFile, { force: true }).catch(() => undefined);
      throw error;
    }
    const { size } = await stat(file);
    return { file, bytes: size, keyFile, hasKey: config.SECRET_KEY === undefined };
  } finally {
    await close();
  }
}
