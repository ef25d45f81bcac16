/**
 * Makes test/support/upgrade/earlier-version.sql.gz and .json: a database of an earlier version with rows in every
 * table, and what its clients know. It installs and runs that version, which needs PostgreSQL, Redis and the npm
 * registry:
 *
 *     node -r ./tools/run-typescript.js tools/earlier-version/make.ts
 */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const run = promisify(execFile);
const ROOT = resolve(__dirname, "../..");
const TARGET = join(ROOT, "test/support/upgrade/earlier-version");
/** The version whose tables fill.js fills. */
const COMMIT = "5edfd23";

/** The statements of a dump, without comments and the commands of psql. */
function statementsOfDump(dump: string): string {
  const lines = dump.split("\n").filter((line) => line !== "" && !/^(--|\\)/.test(line));
  return `${lines.join("\n")}\n`;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-earlier-"));
  try {
    const archive = join(folder, "sources.tar");
    await run("git", ["archive", "--output", archive, COMMIT], { cwd: ROOT });
    await run("tar", ["-xf", archive], { cwd: folder });
    const install = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];
    await run("npm", install, { cwd: folder, maxBuffer: 2 ** 26 });
    const test = join(folder, "test/flow/fill.test.ts");
    await copyFile(join(__dirname, "fill.js"), test);
    const dump = join(folder, "dump");
    const env = { ...process.env, DUMP_FILE: dump };
    await run("npm", ["run", "test:services", "--", test], {
      cwd: folder,
      env,
      maxBuffer: 2 ** 26,
    });
    const statements = statementsOfDump(await readFile(dump, "utf8"));
    await writeFile(`${TARGET}.sql.gz`, gzipSync(statements, { level: 9 }));
    await copyFile(`${dump}.json`, `${TARGET}.json`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
