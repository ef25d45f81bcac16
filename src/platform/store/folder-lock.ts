import { readFileSync, readlinkSync } from "node:fs";
import {
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../core/clock";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { stringPropertyOf } from "./error-properties";
import { UnusableDatabaseError } from "./unusable-database-error";

/**
 * An exclusive lock on the folder of the embedded database, since two processes on one folder silently lose
 * data.
 *
 * The lock is a file `lock.N`; the file with the highest N is valid. To take over from an owner that is gone,
 * a process creates N+1. Only one process can, because link(2) never overwrites, and the highest file is
 * never removed, so two processes never hold a lock at once. The file names its owner by process id and start
 * time, so neither kill -9 nor a reused process id leaves a stale lock. An owner in another process id
 * namespace (a container on the same volume) cannot be looked up; it counts as alive while it touches its
 * file.
 */
export interface FolderLock {
  /** Releases the lock. */
  release(): Promise<void>;
}

/** Another process uses the folder. */
export class FolderInUseError extends UnusableDatabaseError {
  constructor(folder: string, pid: number) {
    super(
      `The folder ${folder} is in use by another process (PID ${pid}). Only one process can use the embedded database: stop the other process, choose a different DATA_DIR, or set DATABASE_URL to use PostgreSQL.`,
    );
  }
}

interface Owner {
  pid: number;
  /** Start time of the process, in clock ticks since boot; null if the system does not provide it. */
  start: string | null;
  /** Boot id and process id namespace that `pid` belongs to; null if the system does not provide them. */
  space: string | null;
  released?: boolean;
}

/** Interval between touches of the lock file, in milliseconds. */
const TOUCH_MS = 3_000;
/** Time after which an owner in another namespace counts as gone, in milliseconds: three missed touches. */
const FOREIGN_TIMEOUT_MS = 10_000;
const NAME = /^lock\.(\d+)$/;

/**
 * Locks a folder; creates it (mode 0700) if it is missing.
 * @param foreignTimeoutMs time in milliseconds without a touch after which an owner in another namespace
 * counts as gone
 * @throws FolderInUseError while another store uses the folder, in this or another process
 */
export async function lockFolder(
  folder: string,
  log: Log,
  foreignTimeoutMs = FOREIGN_TIMEOUT_MS,
): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const self: Owner = {
    pid: process.pid,
    start: startTimeOf(process.pid),
    space: currentNamespace(),
  };
  for (;;) {
    const last = await lastLock(folder);
    const path = join(folder, `lock.${last}`);
    const owner = last === 0 ? undefined : await readOwner(path);
    if (owner && (await isAlive(owner, self, path, log, foreignTimeoutMs))) {
      throw new FolderInUseError(folder, owner.pid);
    }
    const next = join(folder, `lock.${last + 1}`);
    if (await publish(folder, next, self)) {
      await removeOlder(folder, last + 1);
      return keepLock(folder, next, self, log);
    }
  }
}

async function lastLock(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).map((name) => Number(NAME.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** The owner of a lock; undefined if the file is missing, released or damaged, as after a power failure. */
async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const owner: Owner = JSON.parse(await readFile(path, "utf8"));
    return Number.isInteger(owner.pid) && !owner.released ? owner : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(
  owner: Owner,
  self: Owner,
  path: string,
  log: Log,
  foreignTimeoutMs: number,
): Promise<boolean> {
  if (owner.space !== self.space) return isTouched(path, log, foreignTimeoutMs);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    if (stringPropertyOf(error, "code") !== "EPERM") return false;
  }
  return owner.start === null || owner.start === startTimeOf(owner.pid);
}

async function isTouched(path: string, log: Log, foreignTimeoutMs: number): Promise<boolean> {
  log.info(
    { path },
    "the data folder was last used from another container or boot; checking that it is no longer in use",
  );
  const before = await modifiedAt(path);
  const step = Math.min(1_000, foreignTimeoutMs / 4);
  for (let waited = 0; waited < foreignTimeoutMs; waited += step) {
    await sleep(step);
    if ((await modifiedAt(path)) !== before) return true;
  }
  return false;
}

/** Time of the last touch, in milliseconds since the Unix epoch; -1 if the file is gone. */
async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return -1;
  }
}

/** Creates the file with its content atomically; false if it already exists. */
async function publish(folder: string, path: string, owner: Owner): Promise<boolean> {
  const draft = join(folder, `draft.${newId()}`);
  await writeFile(draft, JSON.stringify(owner), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (stringPropertyOf(error, "code") === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeOlder(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = NAME.exec(name);
    if (found && Number(found[1]) < number) await rm(join(folder, name), { force: true });
  }
}

function keepLock(folder: string, path: string, self: Owner, log: Log): FolderLock {
  const timer = setInterval(() => {
    const now = new Date(systemClock.now());
    utimes(path, now, now).catch((error: unknown) => {
      log.error({ err: error, path }, "the lock file of the data folder cannot be touched");
    });
  }, TOUCH_MS);
  timer.unref();
  return {
    release: async () => {
      clearInterval(timer);
      const draft = join(folder, `draft.${newId()}`);
      await writeFile(draft, JSON.stringify({ ...self, released: true }), { mode: 0o600 });
      await rename(draft, path);
    },
  };
}

/** Field 22 of /proc/PID/stat (proc(5)), after the name in parentheses, which may contain anything. */
function startTimeOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function currentNamespace(): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}
