import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { TestNode } from "../node";

const ROOT = join(__dirname, "../../..");
const RUN = "require('./src/transports/cli/commands').run(process.argv)";

/** Output and exit code of a command. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs the command line in its own process, with only the given environment. */
export function runCommand(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Promise<Ended> {
  const loader = join(ROOT, "tools/run-typescript.js");
  const child = spawn(process.execPath, ["-r", loader, "-e", RUN, "signalbox", ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  return endOf(child);
}

/** Waits until a process has ended. */
export function endOf(child: ChildProcess): Promise<Ended> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (data: Buffer) => {
    out += data;
  });
  child.stderr?.on("data", (data: Buffer) => {
    err += data;
  });
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code: code ?? -1, out, err }));
  });
}

/** The environment with which the command line reaches a node as its owner. */
export function ownersEnvironment(node: TestNode): Record<string, string> {
  return { SIGNALBOX_URL: node.baseUrl, DATA_DIR: node.environment.DATA_DIR ?? "" };
}
