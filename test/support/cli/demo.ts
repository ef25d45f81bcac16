import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(__dirname, "../../..");
const DEMO = join(ROOT, "dist/demo/main.js");

/** Output (stdout and stderr) and exit code of a run of the demo. */
export interface DemoRun {
  code: number | null;
  output: string;
}

/** Compiles the project like `npm run build`, unless it is up to date. */
export function buildDemo(): void {
  execFileSync(process.execPath, [join(ROOT, "bin/build.js")], { stdio: "pipe" });
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
