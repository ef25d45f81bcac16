import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../../../core/config";
import type { Log } from "../../../core/log";
import { SECRET_KEY_FILE } from "../../../domain/applications/secret-key";
import { dumpDatabase } from "../../../platform/backup/dump";
import { linesOf } from "../../../platform/backup/lines";
import { loadDump } from "../../../platform/backup/load";
import { errorMessage } from "../../../platform/store/error-properties";
import { FolderInUseError } from "../../../platform/store/folder-lock";
import { serverRefusal } from "../../../platform/store/health-check";
import { migrate } from "../../../platform/store/migrate";
import type { MigrationConnection } from "../../../platform/store/migration/stoppable-connection";
import {
  openMigrationConnection,
  openServerConnection,
} from "../../../platform/store/migration-connection";
import { readMigrations } from "../../../platform/store/migrations";
import { lockNode } from "../../../platform/store/node-lock";
import { UnusableDatabaseError } from "../../../platform/store/unusable-database-error";
import { CommandError } from "../connection/command-error";
import { progressLog } from "../connection/progress-log";
import { verifyKey } from "./verify-key";

/** A finished export. */
export interface Export {
  /** Number of rows by table. */
  rows: Record<string, number>;
  /** Path of the file with the key that the server needs as SECRET_KEY; null if that is set. */
  keyFile: string | null;
}

/**
 * Exports the embedded database of DATA_DIR, which no server may use, to a PostgreSQL database without data. One
 * transaction stores everything, so that it can run again after an interruption.
 * @throws CommandError, BackupError or UnusableDatabaseError with the reason why nothing was exported
 */
export async function exportFolder(config: Config, url: string): Promise<Export> {
  const folder = resolve(config.DATA_DIR);
  const keyFile = join(folder, SECRET_KEY_FILE);
  const log = progressLog();
  const source = await openSource(folder);
  try {
    if (config.SECRET_KEY === undefined && !existsSync(keyFile)) {
      throw new CommandError(
        `${keyFile} is missing, and SECRET_KEY is not set: the secrets in the database cannot be decrypted. Set the SECRET_KEY of the server.`,
      );
    }
    // As a start does. The key could not be verified before.
    await migrate(source.connection, await readMigrations(), log);
    await verifyKey(source.connection, config);
    const rows = await exportTo(url, source.connection, log);
    return { rows, keyFile: config.SECRET_KEY === undefined ? keyFile : null };
  } finally {
    await source.close();
  }
}

async function openSource(folder: string): ReturnType<typeof openMigrationConnection> {
  try {
    return await openMigrationConnection({ DATA_DIR: folder, DATABASE_URL: undefined });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `The folder ${folder} is in use by another process. Stop the server first: the export would miss what it still writes.`,
    );
  }
}

/** Stores the database of a connection. No node can start on the target until it has ended. */
async function exportTo(
  url: string,
  source: MigrationConnection,
  log: Log,
): Promise<Record<string, number>> {
  const lost = new AbortController();
  const lock = await lockTarget(url, log, (reason) => lost.abort(new CommandError(reason)));
  try {
    const target = await openServerConnection(url);
    try {
      const lines = linesOf(until(lost.signal, dumpDatabase(source)));
      return (await loadDump(lines, target.connection, log)).rows;
    } finally {
      await target.close();
    }
  } finally {
    await lock.release();
  }
}

/** Passes on what an iterable gives until a signal stops it. */
async function* until<T>(signal: AbortSignal, values: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const value of values) {
    signal.throwIfAborted();
    yield value;
  }
  signal.throwIfAborted();
}

async function lockTarget(
  url: string,
  log: Log,
  onLockLost: (reason: string) => void,
): ReturnType<typeof lockNode> {
  const refusal = await serverRefusal(url).catch((error: unknown) => {
    // The message of the driver names neither the user's password nor the URL.
    throw new CommandError(`The target cannot be reached: ${errorMessage(error)}`);
  });
  if (refusal !== null) throw new CommandError(`${refusal.detail}. ${refusal.fix}`);
  try {
    return await lockNode({ url, exclusive: true, log, onLockLost });
  } catch (error) {
    if (!(error instanceof UnusableDatabaseError)) throw error;
    throw new CommandError("A server, or another export, uses the target database: stop it first.");
  }
}
