import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");
const DEMO = join(ROOT, "dist/demo/main.js");

/** Output (stdout and stderr) and exit code of a run of the demo. */
export interface DemoRun {
  code: number | null;
  output: string;
}

/**
 * Compiles the project like `npm run build`, unless the build is up to date.
 * @throws Error with the compiler's output if it fails
 */
export function buildDemo(): void {
  const sources = newest("src", "demo", "scripts", "bench");
  const built = statSync(join(ROOT, "dist/build.tsbuildinfo"), { throwIfNoEntry: false });
  if (built && built.mtimeMs >= sources && existsSync(DEMO)) return;
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: ROOT });
  } catch (error) {
    throw new Error(`The build fails:\n${(error as { stdout?: Buffer }).stdout}`);
  }
}

/** Runs the built demo, with only the given environment. */
export function runDemo(environment: Record<string, string>): Promise<DemoRun> {
  const child = spawn(process.execPath, [DEMO], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

function newest(...folders: string[]): number {
  let latest = 0;
  for (const folder of folders) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (file.isFile()) latest = Math.max(latest, changedAt(join(file.parentPath, file.name)));
    }
  }
  return latest;
}

function changedAt(path: string): number {
  return statSync(path).mtimeMs;
}
