import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { findProgram, run } from "../../../scripts/services/binaries";
import { execute } from "../../../scripts/services/postgres-server";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  databaseUrl,
  describeServices,
  type FreshDatabase,
  freshFolder,
  freshServices,
} from "../../support/operations/database";
import { expectUsed, type Used, useNode } from "../../support/operations/used-node";
import { RecordingProviders } from "../../support/push/recording-provider";

const ROOT = resolve(__dirname, "../../..");

/** The blocks of commands of docs/BACKUP.md, in order. */
function printedBlocks(): string[] {
  const text = readFileSync(join(ROOT, "docs/BACKUP.md"), "utf8");
  return Array.from(
    text.matchAll(/^( *)```sh\n([\s\S]+?)^ *```$/gm),
    ([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

describeServices("docs/BACKUP.md", () => {
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  const providers = new RecordingProviders();
  const parts = { pushProvider: providers.open, openEngine, jobsPollMs: 100 };
  const blocks = printedBlocks();
  const databases: FreshDatabase[] = [];
  const created: string[] = [];
  let place: string;
  let node: TestNode;
  let used: Used;
  let DATA_DIR: string;
  let target: Record<string, string>;
  let key: string;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), "signalbox-document-"));
    const folder = await freshFolder();
    const services = await freshServices("template0");
    databases.push(folder, services);
    DATA_DIR = folder.environment.DATA_DIR ?? "";
    target = services.environment;
    // The command line of this version, which npx would find in an installation.
    const loader = join(ROOT, "tools/run-typescript.js");
    const commands = join(ROOT, "src/transports/cli/commands");
    await writeFile(
      join(place, "npx"),
      `#!/bin/sh\nexec "${process.execPath}" -r "${loader}" -e "require('${commands}').run(process.argv)" "$@"\n`,
    );
    await chmod(join(place, "npx"), 0o700);
    node = await startNode({ DATA_DIR, DATABASE_URL: "", REDIS_URL: "", SECRET_KEY: "" }, parts);
    used = await useNode(node, providers);
  });
  afterAll(async () => {
    await node.stop();
    for (const name of created) {
      await execute(databaseUrl("postgres"), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
    for (const { remove } of databases) await remove();
    await rm(place, { recursive: true });
  });

  /** Runs the next block, which contains a text. @returns its output */
  async function runNext(part: string, environment: Record<string, string>): Promise<string> {
    const block = blocks.shift() ?? "";
    expect(block).toContain(part);
    const path = [place, dirname(findProgram("pg_dump")), process.env.PATH].join(delimiter);
    const options = { cwd: place, env: { PATH: path, ...environment } };
    return (await run("bash", ["-ec", block], options)).stdout;
  }

  /** Expects a node on this database to have everything. */
  async function expectAll(environment: Record<string, string>): Promise<void> {
    const others = new RecordingProviders();
    const again = await startNode(environment, { ...parts, pushProvider: others.open }, node);
    try {
      await expectUsed(again, others, used);
    } finally {
      await again.app.close();
    }
  }
  const embedded = (folder: string) => ({
    DATA_DIR: join(place, folder),
    ...{ DATABASE_URL: "", REDIS_URL: "", SECRET_KEY: "" },
  });

  it("prints commands that bring everything back, or to another place", async () => {
    await runNext("signalbox backup", { DATA_DIR });
    await runNext("signalbox restore", {});
    await expectAll(embedded("restored"));

    await node.app.close();
    await runNext("cp -a", { DATA_DIR });
    await expectAll(embedded("copied"));

    const url = target.DATABASE_URL ?? "";
    await runNext("signalbox export", { DATA_DIR, TARGET_URL: url });
    key = readFileSync(join(DATA_DIR, "secret.key"), "utf8").trim();
    const moved = { ...target, DATA_DIR, SECRET_KEY: key };
    const running = await startNode(moved, parts, node);
    await runNext("pg_dump", { DATABASE_URL: url });
    await running.app.close();

    const restoredUrl = databaseUrl("restored");
    const SERVER_URL = databaseUrl("postgres");
    created.push("restored", "drill");
    await runNext("pg_restore", { SERVER_URL, RESTORED_URL: restoredUrl });
    await runNext("redis-cli", { REDIS_URL: target.REDIS_URL ?? "" });
    await expectAll({ ...moved, DATABASE_URL: restoredUrl });

    await checkDrill(await drill("signalbox restore", {}));
    const DRILL_URL = databaseUrl("drill");
    await checkDrill(await drill("pg_restore", { SERVER_URL, DRILL_URL, SECRET_KEY: key }));
    expect(blocks).toEqual([]);
  });

  /** Runs the next block, whose doctor ends with 1: it finds no server. */
  function drill(part: string, environment: Record<string, string>): Promise<string> {
    blocks[0] = blocks[0]?.replace(/^(.* doctor)$/m, "$1 || test $? -eq 1") ?? "";
    return runNext(part, environment);
  }

  async function checkDrill(output: string): Promise<void> {
    for (const check of ["database", "migrations", "secret key"]) {
      expect(output).toMatch(new RegExp(`^ok +${check} `, "m"));
    }
    // Nothing is left of a drill on the server.
    await eventually(
      () => execute(databaseUrl("postgres"), "SELECT FROM pg_database WHERE datname = 'drill'"),
      ({ length }) => length === 0,
    );
  }
});
