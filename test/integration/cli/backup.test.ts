import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import promises, { mkdtemp, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { dumpDatabase } from "../../../src/platform/backup/dump";
import { readDumpFile, writeDumpFile } from "../../../src/platform/backup/dump-file";
import { openForBackup } from "../../../src/platform/store/database-copies";
import { migrate } from "../../../src/platform/store/migrate";
import { openMigrationConnection } from "../../../src/platform/store/migration-connection";
import { readMigrations } from "../../../src/platform/store/migrations";
import { openStore } from "../../../src/platform/store/open";
import { restoreFolder } from "../../../src/transports/cli/backup/restore-folder";
import { endOf, runCommand, spawnCommand } from "../../support/cli/command-line";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { storedContent } from "../../support/operations/dump-lines";
import { expectUsed, useNode } from "../../support/operations/used-node";
import { RecordingProviders } from "../../support/push/recording-provider";
import { newGuest } from "../../support/rest-client";
import { sharedGlobal } from "../../support/shared-modules/shared-global";

/** A backup of the embedded database: what it holds, and what is refused or interrupted. */

const log = openLog("silent");
const nodes: TestNode[] = [];
const children: ChildProcess[] = [];
let place: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "signalbox-backup-"));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  for (const node of nodes.splice(0)) await node.stop();
  await rm(place, { recursive: true });
});

async function started(
  environment: Record<string, string> = {},
  parts: Parameters<typeof startNode>[1] = {},
  beside?: TestNode,
): Promise<TestNode> {
  const node = await startNode(environment, parts, beside);
  nodes.push(node);
  return node;
}

const folderOf = (node: TestNode) => node.environment.DATA_DIR ?? "";
const file = () => join(place, "daily");
const restored = () => join(place, "restored");
const backUp = (node: TestNode) => runCommand(["backup", file()], { DATA_DIR: folderOf(node) });
const restore = (more: Record<string, string> = {}) =>
  runCommand(["restore", file()], { DATA_DIR: restored(), ...more });
const names = (folder: string) => readdirSync(folder).sort();

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await endOf(child);
}

/** Starts a command that the test kills. */
function startCommand(args: string[], environment: Record<string, string>): ChildProcess {
  const child = spawnCommand(args, environment);
  children.push(child);
  return child;
}

/** Ends a node and keeps its folder. */
const end = (node: TestNode) => node.app.close();

/** Inserts rows for which a dump, or its restore, takes seconds. */
const fill = (node: TestNode) =>
  node.sql(
    `INSERT INTO nonces (application_id, ts, nonce)
      SELECT $1, 4102444800, n FROM generate_series(1, 60000) AS n`,
    [node.application.id],
  );

/** Expects a command to be refused with one message. */
async function refused(ended: ReturnType<typeof runCommand>, message: RegExp): Promise<void> {
  const { code, out, err } = await ended;
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(message);
  expect(err).not.toMatch(/\n +at /);
}

describe("a backup", () => {
  test("of a running server brings everything back: tokens, passwords, records, accepted pushes", async () => {
    const providers = new RecordingProviders();
    const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
    const parts = { pushProvider: providers.open, openEngine, jobsPollMs: 100 };
    const node = await started({}, parts);
    const used = await useNode(node, providers);
    const { code, out, err } = await backUp(node);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`${file()}.key. Keep that file in another place`);
    expect(names(place)).toEqual(["daily", "daily.key"]);
    for (const name of names(place)) expect(statSync(join(place, name)).mode & 0o777).toBe(0o600);
    // The copy is gone.
    await eventually(
      () => names(folderOf(node)).filter((name) => name.startsWith("db.")),
      ({ length }) => length === 0,
    );
    await end(node);
    await rm(folderOf(node), { recursive: true });

    expect(await restore()).toMatchObject({ code: 0, out: expect.stringContaining("can start") });
    const others = new RecordingProviders();
    const again = await started(
      { DATA_DIR: restored() },
      { ...parts, pushProvider: others.open },
      node,
    );
    await expectUsed(again, others, used);
    expect(names(restored())).toEqual(expect.arrayContaining(["owner.json", "secret.key"]));
    expect(statSync(join(restored(), "secret.key")).mode & 0o777).toBe(0o600);
  });

  test("of a server that is stopped has every row, and every sequence", async () => {
    const providers = new RecordingProviders();
    const node = await started({}, { pushProvider: providers.open });
    await useNode(node, providers);
    await end(node);
    const before = await storedContent(node.environment);
    expect([...before.keys()]).toEqual(
      expect.arrayContaining([
        ...["accounts", "account_members", "account_sessions", "applications", "audit_entries"],
        ...["users", "user_tags", "sessions", "nonces", "push_subscriptions", "push_events"],
        ...["push_deliveries", "calls", "call_participants", "call_signals", "conferences"],
        ...["pgboss.queue", "pgboss.job"],
      ]),
    );
    expect((await backUp(node)).code).toBe(0);
    const { code, out } = await runCommand(["--json", "restore", file()], { DATA_DIR: restored() });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ folder: restored(), rows: { users: 2, calls: 1 } });
    expect(await storedContent({ DATA_DIR: restored() })).toEqual(before);
  });

  test("while clients write, is the state of one moment: no acknowledged write before it is missing", async () => {
    const node = await started();
    const acknowledged: number[] = [];
    let stopped = false;
    const writer = (async () => {
      while (!stopped) acknowledged.push((await newGuest(node)).id);
    })();
    await eventually(
      () => acknowledged.length,
      (count) => count > 20,
    );
    const before = acknowledged.length;
    expect((await backUp(node)).code).toBe(0);
    // The server has gone on.
    expect(acknowledged.length).toBeGreaterThan(before);
    stopped = true;
    await writer;
    expect((await restore()).code).toBe(0);
    const again = await started({ DATA_DIR: restored() }, {}, node);
    const users = await again.sql<{ id: number; sessions: number }>(
      `SELECT u.id, count(s) AS sessions FROM users u LEFT JOIN sessions s ON s.user_id = u.id
        GROUP BY u.id ORDER BY u.id`,
    );
    // Guests who came later are missing, without a gap.
    expect(users.map(({ id }) => id)).toEqual(acknowledged.slice(0, users.length));
    expect(users.length).toBeGreaterThanOrEqual(before);
    const complete = users.slice(0, before).map(({ sessions }) => sessions);
    expect(new Set(complete)).toEqual(new Set([1]));
  });

  test("with SECRET_KEY has no key, and is restored with SECRET_KEY", async () => {
    const SECRET_KEY = "5".repeat(64);
    const node = await started({ SECRET_KEY });
    const { code, out } = await runCommand(["backup", file()], {
      DATA_DIR: folderOf(node),
      SECRET_KEY,
    });
    expect([code, out]).toEqual([0, expect.stringContaining("The key is the server's SECRET_KEY")]);
    await refused(restore(), /daily\.key is missing, or has no key, and SECRET_KEY is not set/);
    await refused(restore({ SECRET_KEY: "6".repeat(64) }), /encrypted with another key/);
    expect(existsSync(join(restored(), "db"))).toBe(false);
    expect((await restore({ SECRET_KEY })).code).toBe(0);
  });

  test("refuses a name that exists, PostgreSQL, a folder without a database, and one without a key", async () => {
    const node = await started();
    writeFileSync(file(), "");
    await refused(backUp(node), /daily exists: choose another name/);
    await rm(file());
    writeFileSync(`${file()}.key`, '{ "files": { "secret.key": "other" } }');
    await refused(backUp(node), /daily\.key exists, with other content/);
    await rm(`${file()}.key`);
    const url = { DATABASE_URL: "postgresql://localhost/x", SECRET_KEY: "0".repeat(64) };
    await refused(runCommand(["backup", file()], url), /Use pg_dump for PostgreSQL/);
    await refused(runCommand(["restore", file()], url), /Use pg_restore for PostgreSQL/);
    await refused(
      runCommand(["backup", file()], { DATA_DIR: restored() }),
      /There is no embedded database/,
    );
    await rm(join(folderOf(node), "secret.key"));
    await refused(backUp(node), /no secret\.key, and SECRET_KEY is not set/);
    expect(names(place)).toEqual([]);
  });

  test("waits for no other: the second one is refused", async () => {
    const node = await started();
    const held = await openForBackup(folderOf(node));
    await refused(backUp(node), /Another backup of this folder runs/);
    await held.close();
    await eventually(
      () => backUp(node),
      ({ code }) => code === 0,
    );
  });

  test("lets statements wait for a limited time: a server gives up a copy that takes longer", async () => {
    const node = await started();
    const { performance } = sharedGlobal;
    const now = performance.now.bind(performance);
    let ahead = 0;
    const spy = jest.spyOn(performance, "now").mockImplementation(() => {
      ahead += 10_001;
      return now() + ahead;
    });
    await refused(
      backUp(node),
      /cannot copy its database: it takes longer than 10 s.* Stop the server, then run the backup again/,
    );
    expect(names(place)).toEqual([]);
    expect(names(folderOf(node)).filter((name) => name.startsWith("db"))).toEqual(["db"]);
    // The server has gone on.
    await newGuest(node);
    spy.mockRestore();
    expect((await backUp(node)).code).toBe(0);
  });

  test("waits for a limited time for a server that does not answer", async () => {
    const silent = createServer().listen(join(place, "backup.sock"));
    await expect(openForBackup(place, 20)).rejects.toThrow(
      "The server has made no copy of its database within 0.02 s. Stop it, then run the backup again.",
    );
    silent.close();
  });

  test("that is killed leaves no file of that name and no copy, and can run again", async () => {
    const node = await started();
    await fill(node);
    const child = startCommand(["backup", file()], { DATA_DIR: folderOf(node) });
    await eventually(
      () => names(place).some((name) => name.startsWith("daily.draft-")),
      (found) => found,
    );
    await kill(child);
    expect(existsSync(file())).toBe(false);
    await eventually(
      () => names(folderOf(node)).filter((name) => name.startsWith("db.")),
      ({ length }) => length === 0,
    );
    expect((await backUp(node)).code).toBe(0);
    for await (const _line of readDumpFile(file()));
  });

  test("during which the server stops fails, and leaves nothing", async () => {
    const node = await started();
    await fill(node);
    const command = backUp(node);
    await eventually(
      () => names(folderOf(node)).some((name) => name.startsWith("db.draft-")),
      (found) => found,
    );
    await end(node);
    await refused(command, /The server stopped during the backup/);
    expect(names(place)).toEqual([]);
    expect(names(folderOf(node)).filter((name) => name.startsWith("db"))).toEqual(["db"]);
  });

  test("asks for no more than the server: a killed one leaves a socket that nobody answers", async () => {
    const node = await started();
    await end(node);
    expect(names(folderOf(node))).not.toContain("backup.sock");
    const holder = spawn(
      process.execPath,
      [
        "-e",
        "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 9))",
        join(folderOf(node), "backup.sock"),
      ],
      { stdio: "ignore" },
    );
    await endOf(holder);
    expect(names(folderOf(node))).toContain("backup.sock");
    expect((await backUp(node)).code).toBe(0);
    // The next server takes its place.
    const again = await started({ DATA_DIR: folderOf(node) }, {}, node);
    for (const name of names(place)) await rm(join(place, name));
    expect((await backUp(again)).code).toBe(0);
  });
});

test("of a server whose folder has too long a path says that the server must be stopped", async () => {
  const node = await started();
  await end(node);
  const long = join(place, "x".repeat(100));
  await rename(folderOf(node), long);
  const again = await started({ DATA_DIR: long }, {}, node);
  await refused(backUp(again), /cannot be asked for a copy \(its log says why\): stop it/);
  await end(again);
  expect((await backUp(again)).code).toBe(0);
});

describe("a restore", () => {
  /** Makes a backup of a small database. */
  async function made(): Promise<TestNode> {
    const node = await started();
    expect((await backUp(node)).code).toBe(0);
    return node;
  }
  test("refuses a damaged file, a part of one, and other files", async () => {
    await made();
    const whole = readFileSync(file());
    const text = gunzipSync(whole).toString();
    const damaged: [string, Buffer][] = [
      ["a part", whole.subarray(0, whole.length - 20)],
      ["another checksum", gzipSync(text.replace("owner@localhost", "other@localhost"))],
      ["no checksum", gzipSync(text.split("\n").slice(0, -2).join("\n"))],
      ["nothing", Buffer.alloc(0)],
      ["text", Buffer.from("a text")],
    ];
    for (const [name, content] of damaged) {
      writeFileSync(file(), content);
      const { code, err } = await restore();
      expect({ name, code, err }).toEqual({
        name,
        code: 1,
        err: expect.stringMatching(/is damaged or no backup/),
      });
    }
    expect(existsSync(restored())).toBe(false);
    await rm(file());
    await refused(restore(), /ENOENT/);
  });

  test("refuses a backup of a newer version before it makes anything", async () => {
    await made();
    const whole = readFileSync(file());
    const changes: [object, RegExp][] = [
      [{ format: 2 }, /one of a newer version of Signalbox/],
      [
        { migrations: ["29990101000000_later"] },
        /newer version of Signalbox .*29990101000000_later/,
      ],
    ];
    for (const [change, message] of changes) {
      const [header = "", ...rest] = gunzipSync(whole).toString().split("\n").slice(0, -2);
      const changed = [JSON.stringify({ ...JSON.parse(header), ...change }), ...rest];
      await rm(file());
      await writeDumpFile(
        file(),
        (async function* () {
          yield* changed.map((line) => `${line}\n`);
        })(),
      );
      await refused(restore(), message);
      expect(existsSync(restored())).toBe(false);
    }
  });

  test("that cannot write a file of the key leaves none of them, and can run again", async () => {
    await made();
    const { rename } = promises;
    const spy = jest.spyOn(promises, "rename").mockImplementation(async (from, to) => {
      if (String(to).endsWith("credentials.json")) throw new Error("no space left");
      await rename(from, to);
    });
    const config = readConfig({ DATA_DIR: restored() });
    await expect(restoreFolder(config, file())).rejects.toThrow("no space left");
    // The lock stays.
    expect(names(restored()).filter((name) => !name.startsWith("lock."))).toEqual([]);
    spy.mockRestore();
    expect((await restore()).code).toBe(0);
    expect(names(restored())).toEqual(expect.arrayContaining(["owner.json", "secret.key"]));
  });

  test("refuses a folder with a database, or with another key", async () => {
    const node = await made();
    const into = (DATA_DIR: string) => runCommand(["restore", file()], { DATA_DIR });
    await refused(into(folderOf(node)), /holds a database, which is not overwritten|in use/);
    await end(node);
    const before = await storedContent(node.environment);
    await refused(into(folderOf(node)), /holds a database, which is not overwritten/);
    expect(await storedContent(node.environment)).toEqual(before);
    await rm(join(folderOf(node), "db"), { recursive: true });
    writeFileSync(join(folderOf(node), "secret.key"), "other");
    await refused(into(folderOf(node)), /has a secret\.key, which is not overwritten/);
  });

  test("brings a database of an earlier version to this one", async () => {
    const migrations = await readMigrations();
    const node = await started();
    await end(node);
    await rm(join(folderOf(node), "db"), { recursive: true });
    // An earlier version creates its database.
    const config = readConfig(node.environment);
    await (await openStore({ config, log, isNode: true })).close();
    const { connection, close } = await openMigrationConnection(config);
    await connection.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await migrate(connection, migrations.slice(0, -2), log);
    await connection.exec(
      "INSERT INTO accounts (name, account_key, updated_at) VALUES ('Old', 'k', now())",
    );
    await writeDumpFile(file(), dumpDatabase(connection));
    await close();
    writeFileSync(
      `${file()}.key`,
      JSON.stringify({
        files: { "secret.key": readFileSync(join(folderOf(node), "secret.key"), "utf8") },
      }),
    );
    const { code, err } = await restore();
    expect(code).toBe(0);
    for (const { name } of migrations.slice(-2)) expect(err).toContain(name);
    const store = await openStore({
      config: readConfig({ DATA_DIR: restored() }),
      log,
      isNode: true,
    });
    expect(await store.query({ name: "test", text: "SELECT name FROM accounts" }, [])).toEqual([
      { name: "Old" },
    ]);
    await store.close();
  });

  test("that is killed leaves a folder that no server takes for a whole one, and can run again", async () => {
    const node = await started();
    await fill(node);
    expect((await backUp(node)).code).toBe(0);
    const child = startCommand(["restore", file()], { DATA_DIR: restored() });
    await eventually(
      () => existsSync(join(restored(), "db", "PG_VERSION")),
      (found) => found,
    );
    await kill(child);
    const config = readConfig({ DATA_DIR: restored() });
    await expect(openStore({ config, log, isNode: true })).rejects.toThrow(
      /A restore of .* was interrupted.* Run signalbox restore again/,
    );
    await refused(
      runCommand(["backup", join(place, "other")], { DATA_DIR: restored() }),
      /was interrupted/,
    );
    expect((await restore()).code).toBe(0);
    const again = await started({ DATA_DIR: restored() }, {}, node);
    expect(await again.sql("SELECT count(*) AS count FROM nonces WHERE ts = 4102444800")).toEqual([
      { count: 60_000 },
    ]);
  });
});
