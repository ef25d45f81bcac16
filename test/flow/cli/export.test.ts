import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { execute } from "../../../scripts/services/postgres-server";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { endOf, runCommand, spawnCommand } from "../../support/cli/command-line";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  databaseUrl,
  describeServices,
  emptyFolder,
  type FreshDatabase,
  freshFolder,
  freshServices,
} from "../../support/operations/database";
import { storedContent } from "../../support/operations/dump-lines";
import { expectUsed, type Used, useNode } from "../../support/operations/used-node";
import { RecordingProviders } from "../../support/push/recording-provider";

describeServices("signalbox export", () => {
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  const providers = new RecordingProviders();
  const parts = { pushProvider: providers.open, openEngine, jobsPollMs: 100 };
  let folder: FreshDatabase;
  let target: FreshDatabase;
  /** A node on the embedded database, which has stopped. */
  let node: TestNode;
  let used: Used;
  let DATA_DIR: string;
  let url: string;
  let key: string;

  beforeAll(async () => {
    folder = await freshFolder();
    DATA_DIR = folder.environment.DATA_DIR ?? "";
    node = await startNode({ DATA_DIR, DATABASE_URL: "", REDIS_URL: "", SECRET_KEY: "" }, parts);
    used = await useNode(node, providers);
    await node.app.close();
    key = readFileSync(join(DATA_DIR, "secret.key"), "utf8").trim();
  });
  beforeEach(async () => {
    target = await freshServices("template0");
    url = target.environment.DATABASE_URL ?? "";
  });
  afterEach(() => target.remove());
  afterAll(async () => {
    await node.stop();
    await folder.remove();
  });

  const exportTo = (more: Record<string, string> = {}, ...args: string[]) =>
    runCommand(["export", ...args], { DATA_DIR, ...more });
  const contents = async () => [
    await storedContent({ DATA_DIR }),
    await storedContent({ DATABASE_URL: url }),
  ];

  it("moves everything to PostgreSQL: tokens, passwords, records, ids, accepted pushes", async () => {
    const { code, out, err } = await exportTo({ DATABASE_URL: url, SECRET_KEY: key });
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringMatching(/error/i) });
    expect(out).toMatch(/users +2\n/);
    expect(out).toContain("Start the server with DATABASE_URL and the same SECRET_KEY");
    const [before, after] = await contents();
    expect(after).toEqual(before);

    const others = new RecordingProviders();
    const environment = { ...target.environment, DATA_DIR, SECRET_KEY: key };
    const moved = await startNode(environment, { ...parts, pushProvider: others.open }, node);
    try {
      await expectUsed(moved, others, used);
    } finally {
      await moved.stop();
    }
  });

  it("takes the URL from standard input or a file, says where the key is, and shows no password", async () => {
    const secret = url.replace("postgres@", "postgres:hunter2@");
    const path = join(DATA_DIR, "url");
    writeFileSync(path, `${secret}\n`);
    const { code, out, err } = await exportTo({}, "--to", `@${path}`);
    expect(code).toBe(0);
    expect(out).toContain(`SECRET_KEY=$(cat ${join(DATA_DIR, "secret.key")})`);
    expect(out + err).not.toContain("hunter2");

    const unreachable = "postgresql://user:hunter2@127.0.0.1:1/db";
    const failed = await runCommand(["export", "--to", "-"], { DATA_DIR }, unreachable);
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toMatch(/^The target cannot be reached: .*ECONNREFUSED/);
    expect(failed.err).not.toContain("hunter2");
    const wrong = await exportTo({}, "--to", "mysql://user:hunter2@db/x");
    expect(wrong.err).toBe("--to must be a URL that begins with postgresql://.\n");
    expect((await exportTo()).err).toMatch(
      /^The target is missing: set DATABASE_URL, or pass --to/,
    );
  });

  it("refuses a server that runs, another key, and a target with data", async () => {
    const other = { DATABASE_URL: url, SECRET_KEY: "7".repeat(64) };
    expect((await exportTo(other)).err).toMatch(/encrypted with another key/);
    expect(await execute(url, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);

    const holder = await startNode(
      { DATA_DIR, DATABASE_URL: "", REDIS_URL: "", SECRET_KEY: "" },
      parts,
      node,
    );
    expect((await exportTo({}, "--to", url)).err).toMatch(/Stop the server first/);
    await holder.app.close();

    const environment = { ...target.environment, SECRET_KEY: key };
    const running = await startNode(environment, parts, node);
    expect((await exportTo({}, "--to", url)).err).toMatch(/uses the target database: stop it/);
    await running.app.close();
    const taken = await storedContent({ DATABASE_URL: url });
    const missing = await exportTo({}, "--to", url);
    expect(missing.err).toMatch(/already holds data \(in the table/);
    expect(await storedContent({ DATABASE_URL: url })).toEqual(taken);

    await execute(
      databaseUrl("postgres"),
      `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`,
    );
    await execute(databaseUrl("postgres"), `CREATE DATABASE ${new URL(url).pathname.slice(1)}`);
    await execute(url, "CREATE TABLE somebody_elses AS SELECT 1 AS id");
    expect((await exportTo({}, "--to", url)).err).toMatch(
      /holds data \(in the table somebody_elses/,
    );
    const empty = await emptyFolder();
    const { err } = await exportTo({ DATA_DIR: empty.environment.DATA_DIR ?? "" }, "--to", url);
    expect(err).toMatch(/There is no embedded database/);
    expect(existsSync(join(empty.environment.DATA_DIR ?? "", "db"))).toBe(false);
    await empty.remove();
  });

  it("that is killed stores nothing, and can run again; until it has ended, no server starts", async () => {
    await runCommand(["migrate"], { ...target.environment, SECRET_KEY: key });
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    // The export waits in the middle: tables before this one are stored, not committed.
    await blocker.query("BEGIN; LOCK TABLE push_deliveries IN SHARE MODE");
    const child = spawnCommand(["export", "--to", url], { DATA_DIR });
    const ended = endOf(child);
    await eventually(
      () =>
        execute(
          url,
          "SELECT FROM pg_locks WHERE NOT granted AND relation = 'push_deliveries'::regclass",
        ),
      ({ length }) => length > 0,
    );
    await expect(
      startNode({ ...target.environment, SECRET_KEY: key }, parts, node),
    ).rejects.toThrow(/runs on this database/);
    child.kill("SIGKILL");
    await ended;
    await blocker.end();
    expect(await execute(url, "SELECT FROM users")).toEqual([]);
    // The server rolls back, and releases the lock, when it notices that the process is gone.
    const again = await eventually(
      () => exportTo({}, "--to", url),
      ({ code }) => code === 0,
    );
    expect(again.out).toMatch(/All rows are in PostgreSQL/);
    const [before, after] = await contents();
    expect(after).toEqual(before);
  });
});
