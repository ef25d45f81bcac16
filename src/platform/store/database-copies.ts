import { chmod, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { basename, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import type { Log } from "../../core/log";
import { errorMessage, stringPropertyOf } from "./error-properties";
import {
  cannotOpenError,
  embeddedConnection,
  type OpenMigrationConnection,
  openMigrationConnection,
} from "./migration-connection";

/**
 * How `signalbox backup` gets the embedded database of a running server, which alone can open it: by a socket in the data
 * folder, which only the folder's system user can open. The server answers a connection with the name of a copy in the
 * folder, as one line of JSON, and removes the copy when the connection ends, so that a killed client leaves none.
 */

/** Name of the socket in the data folder. */
const SOCKET = "backup.sock";
/** Longest path of a socket on every system, in bytes: macOS has room for 104 with the final zero. */
const PATH_MAX = 103;
/** Maximum length of an answer, in characters. */
const ANSWER_MAX = 10_000;
/** Time to wait for an answer, in milliseconds: that of a copy, after the transactions and statements before it. */
const ANSWER_MS = 60_000;

/** Codes of a connection that nobody answers: there is no socket, or that of a killed process. */
const NO_SERVER = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED"]);

/** An answer of the server: the name of a copy, or why there is none. */
interface Answer {
  name?: string;
  error?: string;
}

/** A running server has made no copy of its database, or not kept it. The message is for the operator. */
export class DatabaseCopyError extends Error {
  override readonly name = "DatabaseCopyError";
}

/** Hands out copies of the embedded database. */
export interface DatabaseCopies {
  /** Ends the connections, and removes their copies. */
  close(): Promise<void>;
}

/** Options of {@link serveCopies}. */
export interface CopyOptions {
  /** The data folder, which this process has locked. */
  folder: string;
  /** Copies the database, unless the signal stops it. @returns the path of the copy */
  copy(stop: AbortSignal): Promise<string>;
  log: Log;
}

/** Hands out copies of the embedded database, one at a time. Without the socket the server runs, but no backup can. */
export async function serveCopies({ folder, copy, log }: CopyOptions): Promise<DatabaseCopies> {
  const open = new Set<Socket>();
  const running = new Set<Promise<void>>();
  let isBusy = false;

  async function handOut(socket: Socket): Promise<void> {
    const stop = new AbortController();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    void closed.then(() => stop.abort());
    if (isBusy) {
      socket.end(toLine({ error: "Another backup of this folder runs: wait for its end." }));
      return;
    }
    isBusy = true;
    let path: string | undefined;
    try {
      path = await copy(stop.signal);
      log.info("copied the embedded database for a backup");
      socket.write(toLine({ name: basename(path) }));
      await closed;
    } catch (error) {
      log.warn({ err: error }, "the embedded database could not be copied for a backup");
      const reason = `The server cannot copy its database: ${errorMessage(error)}`;
      socket.end(toLine({ error: reason }));
    } finally {
      // The next start removes what is left of it.
      if (path !== undefined) await rm(path, { recursive: true, force: true }).catch(() => {});
      isBusy = false;
    }
  }

  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    // "close" follows.
    socket.on("error", () => {}).resume();
    const done = handOut(socket).finally(() => running.delete(done));
    running.add(done);
  });
  try {
    const path = socketPath(folder);
    if (path === null) throw new Error("the path of DATA_DIR is too long for a socket");
    // Of an earlier process that was killed: the folder is locked.
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject).listen(path, resolve);
    });
    server.unref();
    await chmod(path, 0o600);
  } catch (error) {
    log.warn({ err: error }, "signalbox backup cannot reach this server: it must be stopped first");
  }
  return {
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await Promise.all(running);
    },
  };
}

function toLine(answer: Answer): string {
  return `${JSON.stringify(answer)}\n`;
}

/** The path of the socket: relative where that is shorter, since systems limit the length; null if it is too long. */
function socketPath(folder: string): string | null {
  const absolute = join(folder, SOCKET);
  const near = relative(process.cwd(), absolute);
  const path = near.length < absolute.length ? near : absolute;
  return Buffer.byteLength(path) <= PATH_MAX ? path : null;
}

/**
 * Opens the embedded database of a folder to read all of it: a copy of a running server's, else the database itself, whose
 * folder is then locked.
 * @param answerMs time to wait for a server's answer, in milliseconds
 * @throws UnusableDatabaseError if there is none, or another process than a server uses it; DatabaseCopyError if a server
 * cannot make a copy, and later, from the connection, if it ends and removes the copy
 */
export async function openForBackup(
  folder: string,
  answerMs = ANSWER_MS,
): Promise<OpenMigrationConnection> {
  const copy = await requestCopy(folder, answerMs);
  if (copy === null) return openMigrationConnection({ DATA_DIR: folder, DATABASE_URL: undefined });
  const { path, socket } = copy;
  const refuseLost = async (): Promise<void> => {
    // The end of a connection is seen only between two tasks.
    await setImmediate();
    if (!socket.closed) return;
    throw new DatabaseCopyError("The server stopped during the backup: run it again.");
  };
  // What a lost copy answers, and how it fails, says nothing.
  const run = <T>(act: () => Promise<T>): Promise<T> => act().finally(refuseLost);
  try {
    const lite = await PGlite.create({ dataDir: path });
    const connection = embeddedConnection(lite);
    return {
      connection: {
        exec: (sql) => run(() => connection.exec(sql)),
        query: (sql, values) => run(() => connection.query(sql, values)),
      },
      close: async () => {
        // It may write to files that the server has removed.
        await lite.close().catch(() => undefined);
        socket.destroy();
      },
    };
  } catch (error) {
    await refuseLost();
    socket.destroy();
    throw cannotOpenError(path, error);
  }
}

/**
 * Asks the server that uses a folder for a copy of its database.
 * @returns the path of the copy, and the connection with which it ends; null if no server answers
 */
async function requestCopy(
  folder: string,
  answerMs: number,
): Promise<{ path: string; socket: Socket } | null> {
  const at = socketPath(folder);
  if (at === null) return null;
  const socket = connect(at);
  try {
    const { name, error } = JSON.parse(await readAnswer(socket, answerMs)) as Answer;
    if (name === undefined) throw new DatabaseCopyError(error);
    return { path: join(folder, basename(name)), socket };
  } catch (error) {
    socket.destroy();
    const code = stringPropertyOf(error, "code") ?? "";
    if (NO_SERVER.has(code)) return null;
    throw error;
  }
}

/** Reads the line of an answer. */
function readAnswer(socket: Socket, answerMs: number): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => {
      text += part;
      if (text.endsWith("\n")) resolve(text);
      else if (text.length > ANSWER_MAX)
        reject(new DatabaseCopyError("The server's answer is too long."));
    });
    socket.on("error", reject);
    socket.once("close", () =>
      reject(new DatabaseCopyError("The server stopped: run the backup again.")),
    );
    socket.setTimeout(answerMs, () =>
      reject(
        new DatabaseCopyError(
          `The server has made no copy of its database within ${answerMs / 1000} s. Stop it, then run the backup again.`,
        ),
      ),
    );
  });
  // The connection is silent while the copy is read.
  return answer.finally(() => socket.setTimeout(0));
}
