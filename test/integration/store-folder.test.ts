import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pino from "pino";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { lockFolder } from "../../src/store/folder-lock";
import { readMigrations } from "../../src/store/migrations";
import { openStore } from "../../src/store/open";
import { Refusal } from "../../src/store/refusal";
import { emptyFolder, type FreshDatabase, freshFolder } from "../support/database";

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

/** Starts a process that opens the store on the folder; answers it and its first line. */
function startHolder(): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(
    process.execPath,
    [
      ...["-r", resolve(__dirname, "../support/run-typescript.js")],
      ...[resolve(__dirname, "../support/hold-store.ts"), folder],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  return new Promise((done) => {
    child.stdout?.once("data", (data: Buffer) => done({ child, line: data.toString().trim() }));
  });
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    child.once("exit", () => done());
    child.kill("SIGKILL");
  });
}

const open = () => openStore({ config: readConfig(database.environment), log, exclusive: true });

/** Changes what the lock says of its owner; answers its path. */
function leave(change: object): string {
  const path = join(folder, lockName() ?? "");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
  return path;
}

const lockName = () => readdirSync(folder).find((name) => name.startsWith("lock."));

test("makes a folder of its own on a first start, and says what it does", async () => {
  await use(emptyFolder());
  const path = join(folder, "deep", "data");
  const lines: string[] = [];
  const telling = pino({ level: "info" }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const config = readConfig({ DATA_DIR: path });
  const store = await openStore({ config, log: telling, exclusive: true });
  await store.check();
  await store.close();
  expect(lines).toEqual([
    "making the embedded database; this takes some seconds",
    "the embedded database is made",
    ...(await readMigrations()).map(() => "migrating the database"),
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "db")).mode & 0o777).toBe(0o700);
});

test("a second process is refused, and kill -9 of the first leaves a folder that opens", async () => {
  await use(freshFolder());
  const { child, line } = await startHolder();
  expect(line).toBe("open");
  await expect(open()).rejects.toThrow(Refusal);
  await expect(open()).rejects.toThrow(`in use by another process (number ${child.pid})`);
  expect((await startHolder()).line).toMatch(/^refused: Refusal: The folder .* is in use/);
  await kill(child);
  const store = await open();
  const accountKey = `of ${child.pid}`;
  expect(await store.db.account.findUnique({ where: { accountKey } })).not.toBeNull();
  expect((await startHolder()).line).toMatch(/^refused: Refusal: The folder .* is in use/);
  await store.close();
});

test("of many that want a folder at once, one gets it, also when it was left behind", async () => {
  await use(emptyFolder());
  for (let round = 0; round < 20; round++) {
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => lockFolder(folder, log)),
    );
    const won = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt] : []));
    expect(won).toHaveLength(1);
    if (round % 2 === 0) await won[0]?.value.release();
    // As a process leaves it that died: a number that no process has.
    else leave({ pid: 4194305 });
  }
  expect(readdirSync(folder)).toHaveLength(1);
});

describe("a lock that was left", () => {
  beforeEach(() => use(emptyFolder()));

  const taken = async (foreignMs?: number) => {
    const lock = await lockFolder(folder, log, foreignMs);
    await lock.release();
  };

  test("holds while its process lives, and after a release no more", async () => {
    const lock = await lockFolder(folder, log);
    await expect(taken()).rejects.toThrow(Refusal);
    await lock.release();
    await taken();
  });

  test("does not hold when its number was given to another process since", async () => {
    const lock = await lockFolder(folder, log);
    leave({ start: "1" });
    await taken();
    await lock.release();
  });

  test("holds by its number alone where the system tells no start", async () => {
    const lock = await lockFolder(folder, log);
    leave({ start: null });
    await expect(taken()).rejects.toThrow(Refusal);
    await lock.release();
  });

  test("does not hold when the file names nobody", async () => {
    const lock = await lockFolder(folder, log);
    writeFileSync(join(folder, lockName() ?? ""), "");
    await taken();
    await lock.release();
  });

  test("of another container holds while its owner touches it, and when it is silent no more", async () => {
    const lock = await lockFolder(folder, log);
    const path = leave({ space: "another", pid: 4194305 });
    let seconds = 1;
    const timer = setInterval(() => utimesSync(path, ++seconds, seconds), 20);
    await expect(taken(400)).rejects.toThrow(Refusal);
    clearInterval(timer);
    await taken(400);
    await lock.release();
  });
});
