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
import { systemClock } from "../core/clock";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { textOf } from "./error-parts";
import { Refusal } from "./refusal";

/**
 * Two processes on one folder of the embedded database lose data without a word, so a process takes
 * the folder for itself. The lock is a file `lock.N`. The file with the highest N counts; who wants
 * the folder of an owner that is gone makes N+1, which only one can (link(2) never overwrites), and
 * the highest file is never removed, so that no two ever hold a number each. A file names its owner
 * by process id and start time, hence kill -9 leaves no lock behind, nor does a process id given out
 * again. An owner in another process id namespace (a container on the same volume) cannot be looked
 * up: it is alive while it touches its file.
 */
export interface FolderLock {
  /** Gives the folder free. */
  release(): Promise<void>;
}

/** Another process has the folder. */
export class FolderInUse extends Refusal {
  constructor(folder: string, pid: number) {
    super(
      `The folder ${folder} is in use by another process (number ${pid}). The embedded database belongs to one process: end that one, give this one a DATA_DIR of its own, or set DATABASE_URL to use PostgreSQL.`,
    );
  }
}

interface Owner {
  pid: number;
  /** Start of the process, by the kernel's count; null where the system does not say. */
  start: string | null;
  /** Boot and process id namespace that the numbers belong to; null where the system does not say. */
  space: string | null;
  released?: boolean;
}

const TOUCH_MS = 3_000;
/** Three touches missed. */
const FOREIGN_MS = 10_000;
const NAME = /^lock\.(\d+)$/;

/**
 * Takes a folder for this process, and makes it (mode 0700) where it is missing.
 * @param foreignMs how long an owner in another namespace may be silent before it counts as gone
 * @throws FolderInUse while another store has the folder, in this process or in another
 */
export async function lockFolder(
  folder: string,
  log: Log,
  foreignMs = FOREIGN_MS,
): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const self: Owner = { pid: process.pid, start: startOf(process.pid), space: space() };
  for (;;) {
    const last = await lastLock(folder);
    const path = join(folder, `lock.${last}`);
    const owner = last === 0 ? undefined : await readOwner(path);
    if (owner && (await isAlive(owner, self, path, log, foreignMs))) {
      throw new FolderInUse(folder, owner.pid);
    }
    const next = join(folder, `lock.${last + 1}`);
    if (await publish(folder, next, self)) {
      await removeBelow(folder, last + 1);
      return hold(folder, next, self, log);
    }
  }
}

async function lastLock(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).map((name) => Number(NAME.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** The owner of a lock; undefined when the file names none, as after a loss of power, or is gone. */
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
  foreignMs: number,
): Promise<boolean> {
  if (owner.space !== self.space) return touches(path, log, foreignMs);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: there is such a process, of another user.
    if (textOf(error, "code") !== "EPERM") return false;
  }
  return owner.start === null || owner.start === startOf(owner.pid);
}

async function touches(path: string, log: Log, foreignMs: number): Promise<boolean> {
  log.info(
    { path },
    "the data folder was last used from another container or boot; making sure that nobody uses it now",
  );
  const before = await modified(path);
  const step = Math.min(1_000, foreignMs / 4);
  for (let waited = 0; waited < foreignMs; waited += step) {
    await sleep(step);
    if ((await modified(path)) !== before) return true;
  }
  return false;
}

/** Time of the last touch; of a file that another one replaced meanwhile, never. */
async function modified(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return -1;
  }
}

/** Makes the file with its content at once; false when it was there. */
async function publish(folder: string, path: string, owner: Owner): Promise<boolean> {
  const draft = join(folder, `draft.${newId()}`);
  await writeFile(draft, JSON.stringify(owner), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (textOf(error, "code") === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeBelow(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = NAME.exec(name);
    if (found && Number(found[1]) < number) await rm(join(folder, name), { force: true });
  }
}

function hold(folder: string, path: string, self: Owner, log: Log): FolderLock {
  const timer = setInterval(() => {
    const now = new Date(systemClock.now());
    utimes(path, now, now).catch((error: unknown) => {
      log.error({ err: error, path }, "the lock of the data folder cannot be touched");
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

/** Field 22 of /proc/PID/stat (proc(5)), behind the name in brackets, which may hold anything. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function space(): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}
