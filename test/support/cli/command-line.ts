import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { TestNode } from "../node";
import { NO_ENV_FILE } from "../process";

const ROOT = join(__dirname, "../../..");
const RUN = `require(${JSON.stringify(join(ROOT, "src/transports/cli/commands"))}).run(process.argv)`;

/** Arguments with which Node.js runs the command line from any folder. */
export function commandLine(args: string[]): string[] {
  return ["-r", join(ROOT, "tools/run-typescript.js"), "-e", RUN, "--", "signalbox", ...args];
}

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
  return endOf(spawnCommand(args, environment, input));
}

/** Starts the command line as {@link runCommand} does. */
export function spawnCommand(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): ChildProcess {
  const child = spawn(process.execPath, commandLine([...NO_ENV_FILE, ...args]), {
    cwd: ROOT,
    // No command writes to the folder of the person who runs the tests.
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: "/dev/null", ...environment },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  return child;
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
  const { DATA_DIR = "" } = node.environment;
  return { SIGNALBOX_URL: node.baseUrl, DATA_DIR, XDG_CONFIG_HOME: join(DATA_DIR, "config") };
}
