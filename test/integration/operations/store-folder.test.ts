import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { lockFolder } from "../../../src/platform/store/folder-lock";
import { readMigrations } from "../../../src/platform/store/migrations";
import { openStore } from "../../../src/platform/store/open";
import { UnusableDatabaseError } from "../../../src/platform/store/unusable-database-error";
import { emptyFolder, type FreshDatabase, freshFolder } from "../../support/operations/database";

const log = openLog("silent");
const children: ChildProcess[] = [];
let database: FreshDatabase;
let folder: string;

async function use(made: Promise<FreshDatabase>): Promise<void> {
  database = await made;
  folder = database.environment.DATA_DIR ?? "";
}

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await database.remove();
});

/** Starts a process that opens the store in the folder. @returns the process and its first line of output */
function startHolder(): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(
    process.execPath,
    [
      ...["-r", resolve(__dirname, "../../../tools/run-typescript.js")],
      ...[resolve(__dirname, "../../support/operations/hold-store.ts"), folder],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  return new Promise((done) => {
    child.stdout?.once("data", (data: Buffer) => done({ child, line: data.toString().trim() }));
  });
}

/** Starts a process that creates the database, and waits until it has written a part of it. */
async function startCreation(): Promise<{ child: ChildProcess; draft: string }> {
  void startHolder();
  const [child] = children;
  for (;;) {
    const draft = readdirSync(folder).find((name) => name.startsWith("db.draft-"));
    if (draft && existsSync(join(folder, draft, "PG_VERSION"))) return { child: child!, draft };
    await sleep(5);
  }
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    child.once("exit", () => done());
    child.kill("SIGKILL");
  });
}

/** Whether a process has a word in its command line. */
const isRunning = (word: string) =>
  readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word);
    } catch {
      // It has just ended.
      return false;
    }
  });

const open = () => openStore({ config: readConfig(database.environment), log, isNode: true });

/** Changes the owner in the lock file. @returns its path */
function editLock(change: object): string {
  const path = join(folder, lockName() ?? "");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
  return path;
}

const lockName = () => readdirSync(folder).find((name) => name.startsWith("lock."));

test("creates its folder at the first start, and logs it", async () => {
  await use(emptyFolder());
  const path = join(folder, "deep", "data");
  const lines: string[] = [];
  const recording = pino({ level: "info" }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const config = readConfig({ DATA_DIR: path });
  const store = await openStore({ config, log: recording, isNode: true });
  await store.execute("SELECT 1");
  await store.close();
  expect(lines).toEqual([
    "creating the embedded database; this takes up to half a minute",
    "the embedded database has been created",
    ...(await readMigrations()).map(() => "migrating the database"),
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "db")).mode & 0o777).toBe(0o700);
});

test("a creation that is killed leaves nothing that the next start cannot use", async () => {
  await use(emptyFolder());
  const { child, draft } = await startCreation();
  await kill(child);
  expect(readdirSync(folder)).toContain(draft);
  expect(readdirSync(folder)).not.toContain("db");
  const store = await open();
  expect(await store.db.application.count()).toBe(0);
  await store.close();
  // The process that filled the draft has outlived the one that was killed, and may have written once more.
  while (isRunning(draft)) await sleep(50);
  await (await open()).close();
  expect(readdirSync(folder).filter((name) => name.startsWith("db"))).toEqual(["db"]);
});

test("a second process is rejected, and the folder can be opened after kill -9 of the first", async () => {
  await use(freshFolder());
  const { child, line } = await startHolder();
  expect(line).toBe("open");
  await expect(open()).rejects.toThrow(UnusableDatabaseError);
  await expect(open()).rejects.toThrow(`in use by another process (PID ${child.pid})`);
  expect((await startHolder()).line).toMatch(
    /^refused: UnusableDatabaseError: The folder .* is in use/,
  );
  await kill(child);
  const store = await open();
  const accountKey = `of ${child.pid}`;
  expect(await store.db.account.findUnique({ where: { accountKey } })).not.toBeNull();
  expect((await startHolder()).line).toMatch(
    /^refused: UnusableDatabaseError: The folder .* is in use/,
  );
  await store.close();
});

test("one of several concurrent processes gets the lock, even a stale one", async () => {
  await use(emptyFolder());
  for (let round = 0; round < 20; round++) {
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => lockFolder(folder, log)),
    );
    const won = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt] : []));
    expect(won).toHaveLength(1);
    if (round % 2 === 0) await won[0]?.value.release();
    // As after a crash: a process id that does not exist.
    else editLock({ pid: 4194305 });
  }
  expect(readdirSync(folder)).toHaveLength(1);
});

describe("an existing lock", () => {
  beforeEach(() => use(emptyFolder()));

  const lockAndRelease = async (foreignTimeoutMs?: number) => {
    const lock = await lockFolder(folder, log, foreignTimeoutMs);
    await lock.release();
  };

  test("is valid while its process lives, until it is released", async () => {
    const lock = await lockFolder(folder, log);
    await expect(lockAndRelease()).rejects.toThrow(UnusableDatabaseError);
    await lock.release();
    await lockAndRelease();
  });

  test("is stale if its process id was reused", async () => {
    const lock = await lockFolder(folder, log);
    editLock({ start: "1" });
    await lockAndRelease();
    await lock.release();
  });

  test("is valid by process id alone if the start time is unknown", async () => {
    const lock = await lockFolder(folder, log);
    editLock({ start: null });
    await expect(lockAndRelease()).rejects.toThrow(UnusableDatabaseError);
    await lock.release();
  });

  test("is stale if the file names no owner", async () => {
    const lock = await lockFolder(folder, log);
    writeFileSync(join(folder, lockName() ?? ""), "");
    await lockAndRelease();
    await lock.release();
  });

  test("of another container is valid while its owner touches it", async () => {
    const lock = await lockFolder(folder, log);
    const path = editLock({ space: "another", pid: 4194305 });
    let seconds = 1;
    const timer = setInterval(() => utimesSync(path, ++seconds, seconds), 20);
    await expect(lockAndRelease(400)).rejects.toThrow(UnusableDatabaseError);
    clearInterval(timer);
    await lockAndRelease(400);
    await lock.release();
  });
});
