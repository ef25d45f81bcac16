import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
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
export function runDemo(
  environment: Record<string, string>,
  onOutput: (output: string, child: ChildProcess) => void = () => undefined,
): Promise<DemoRun> {
  return follow(spawn(process.execPath, [DEMO], optionsOf(environment)), onOutput);
}

/** Runs the built demo until its output has a line with a text; then the reader of the output is gone. */
export function runDemoCutAfter(
  text: string,
  environment: Record<string, string>,
): Promise<DemoRun> {
  const cut = ["-c", '"$0" "$1" | grep -m 1 "$2"', process.execPath, DEMO, text];
  return follow(spawn("sh", cut, optionsOf(environment)), () => undefined);
}

function optionsOf(environment: Record<string, string>): SpawnOptions {
  return {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  };
}

function follow(
  child: ChildProcess,
  onOutput: (output: string, child: ChildProcess) => void,
): Promise<DemoRun> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      onOutput(output, child);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
