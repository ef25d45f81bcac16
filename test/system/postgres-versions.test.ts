import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  execute,
  type PostgresServer,
  startPostgres,
} from "../../scripts/services/postgres-server";
import { openLog } from "../../src/core/log";
import type { EngineListener } from "../../src/domain/conferences/engine/engine";
import { MIN_SERVER_VERSION } from "../../src/platform/store/health-check";
import { migrateStore } from "../../src/platform/store/open";
import { runCommand } from "../support/cli/command-line";
import { MemoryEngine } from "../support/conferences/memory-engine";
import { startNode, type TestNode } from "../support/node";
import { emptyFolder, freshFolder, freshRedis } from "../support/operations/database";
import { expectUsed, useNode } from "../support/operations/used-node";
import { RecordingProviders } from "../support/push/recording-provider";

/**
 * The oldest and the newest supported version of PostgreSQL, as packages of npm contain them. All other tests run on the
 * version of the machine.
 */

const run = promisify(execFile);
const log = openLog("silent");
const PACKAGES = join(__dirname, "../support/postgres-versions");
const SECRET_KEY = "0".repeat(64);
const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
/** The packages have programs for this platform only. */
const describePlatform =
  `${process.platform}-${process.arch}` === "linux-x64" ? describe : describe.skip;

describePlatform("PostgreSQL", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "signalbox-postgres-versions-"));
    for (const file of ["package.json", "package-lock.json"]) {
      await copyFile(join(PACKAGES, file), join(folder, file));
    }
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    await run("npm", ["ci", ...options], { cwd: folder });
    // The user of the server reads them.
    await run("chmod", ["-R", "a+rX", folder]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each([
    ["13", "the oldest"],
    ["18", "the newest"],
  ])("%s, %s supported version", (version) => {
    let server: PostgresServer;
    beforeAll(async () => {
      const installed = join(folder, "node_modules", `postgres-${version}`);
      // Links between libraries, which a package of npm cannot contain.
      await run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: installed });
      server = await startPostgres({ programs: join(installed, "native/bin") });
    });
    afterAll(() => server?.stop());

    const environmentOf = async (name: string, dataDir: string) => {
      await execute(server.url, `CREATE DATABASE ${name}`);
      const DATABASE_URL = server.url.replace(/postgres$/, name);
      return { DATA_DIR: dataDir, DATABASE_URL, SECRET_KEY, REDIS_URL: await freshRedis() };
    };
    const started = async (environment: Record<string, string>, known = {}) => {
      const providers = new RecordingProviders();
      const parts = { pushProvider: providers.open, openEngine, jobsPollMs: 100 };
      const beside = { environment, ...known } as TestNode;
      return { providers, node: await startNode({}, parts, beside) };
    };

    test("serves users, calls, pushes, conferences and members, also after a restart", async () => {
      const [row] = await execute(server.url, "SHOW server_version");
      expect((row as { server_version: string }).server_version).toMatch(
        new RegExp(`^${version}\\.`),
      );
      const files = await emptyFolder();
      const environment = await environmentOf("served", files.environment.DATA_DIR ?? "");
      const indexes = [{ name: "calls_test_idx", table: "calls", definition: '("ended_at")' }];
      const migrated = await migrateStore(environment, log, undefined, indexes);
      expect(migrated.indexes).toEqual(["calls_test_idx"]);
      const first = await started(environment);
      const used = await useNode(first.node, first.providers);
      await first.node.stop();
      const doctor = await runCommand(["doctor", "--json"], environment);
      const findings: { check: string; status: string }[] = JSON.parse(doctor.out).checks;
      for (const name of ["database", "migrations", "jobs", "secret key"]) {
        const found = findings.find(({ check }) => check === name);
        expect([name, found?.status]).toEqual([name, "ok"]);
      }
      const upgrade = await runCommand(["doctor", "--before-upgrade"], environment);
      expect([upgrade.code, upgrade.out]).toEqual([0, expect.stringContaining("none is pending")]);
      const { application } = first.node;
      const again = await started(environment, { application });
      await expectUsed(again.node, again.providers, used);
      await again.node.stop();
      await files.remove();
    });

    test("takes an export of the embedded database", async () => {
      const files = await freshFolder();
      const DATA_DIR = files.environment.DATA_DIR ?? "";
      const embedded = { DATA_DIR, SECRET_KEY, DATABASE_URL: "", REDIS_URL: "" };
      const first = await started(embedded);
      const used = await useNode(first.node, first.providers);
      const { application } = first.node;
      await first.node.stop();
      const environment = await environmentOf("exported", DATA_DIR);
      const { code, err } = await runCommand(["export"], environment);
      expect({ code, err }).toMatchObject({ code: 0 });
      const again = await started(environment, { application });
      await expectUsed(again.node, again.providers, used);
      await again.node.stop();
      await files.remove();
    });
  });

  test("13 is what the service requires", () => {
    expect(MIN_SERVER_VERSION).toBe(130_000);
  });
});
