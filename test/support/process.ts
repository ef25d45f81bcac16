import { type ChildProcess, spawn } from "node:child_process";
import { devNull } from "node:os";
import { join } from "node:path";
import type { ReadyNode } from "../../src/core/console";
import { closeAfterEach } from "./close-after-each";
import { LENIENT_LIMITS } from "./lenient-limits";
import { freshDatabase } from "./operations/database";
import { FREE_PORTS } from "./ports";

const ROOT = join(__dirname, "../..");

/** The line of the log. */
const READY = /^\{.*"msg":"Signalbox is ready"\}$/m;

/** The service in its own process. */
export interface ServiceProcess {
  child: ChildProcess;
  /** Its output so far, stdout and stderr. */
  output(): string;
  /** Resolves with the exit code or signal. */
  exited: Promise<number | NodeJS.Signals>;
  /** Resolves with the first match in the output. Rejects if the process ends first. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with what the log says of the node once it is ready; LOG_LEVEL must include info. */
  ready(): Promise<ReadyNode>;
}

/** Arguments without which a developer's .env in this folder would change the settings of a test. */
export const NO_ENV_FILE = ["--env-file", devNull];

const MAIN = join(ROOT, "src/main.ts");

/** Arguments with which Node.js runs a program, src/main.ts by default, from any folder. */
export function commandOf(args: string[], program = MAIN): string[] {
  // Without -- Node.js 20 itself looks for --env-file after the program.
  return ["-r", join(ROOT, "tools/run-typescript.js"), "--", program, ...args];
}

/** Where and how {@link startProcess} starts a process. */
interface StartOptions {
  /** The folder of the start. */
  folder?: string;
  args?: string[];
  /** A program that loads src/main.ts. */
  program?: string;
}

/** Starts src/main.ts, with only the given environment. */
export function startProcess(
  environment: Record<string, string>,
  { folder = ROOT, args = NO_ENV_FILE, program }: StartOptions = {},
): ServiceProcess {
  const child = spawn(process.execPath, commandOf(args, program), {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...FREE_PORTS,
      ...LENIENT_LIMITS,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  let ended = false;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data: Buffer) => {
      text += data;
      notify();
    });
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => {
      ended = true;
      notify();
      resolve(code ?? signal ?? "SIGKILL");
    });
  });
  const waitForOutput = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text);
        if (!match && !ended) return;
        listeners.delete(look);
        if (match) resolve(match);
        else reject(new Error(`the process ended without saying ${pattern}:\n${text}`));
      };
      listeners.add(look);
      look();
    });
  return {
    child,
    exited,
    output: () => text,
    waitForOutput,
    ready: async () => JSON.parse((await waitForOutput(READY))[0]),
  };
}

/** Processes with their own databases, which are stopped and removed after each test of the file. */
export function managedProcesses() {
  const running = closeAfterEach();
  const databases = closeAfterEach();
  return {
    /** Environment of a process for a database. */
    async environment(fresh = freshDatabase()): Promise<Record<string, string>> {
      const database = await fresh;
      databases({ close: database.remove });
      return database.environment;
    },
    /** {@link startProcess}. */
    start(variables: Record<string, string>, options?: StartOptions): ServiceProcess {
      const service = startProcess(variables, options);
      const kill = () => {
        service.child.kill("SIGKILL");
        return service.exited;
      };
      running({ close: kill });
      return service;
    },
  };
}
