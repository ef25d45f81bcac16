import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "../scripts/services/binaries";
import { onServerCore } from "./process-pins";
import { type Usage, usageOfTree } from "./process-usage";

/** Timeout of a start, including the set-up of an embedded database, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
/** Time between SIGTERM and SIGKILL, in milliseconds. */
const STOP_TIMEOUT_MS = 15_000;

/** A process on the server's core. */
export interface MeasuredProcess {
  readonly pid: number;
  /** Time from the start of the process until it was ready, in milliseconds. */
  readyMs: number;
  /** The usage of the process and its descendants. */
  usage(): Usage;
  /** Stops the process gracefully with SIGTERM. */
  stop(): Promise<void>;
}

/** The command to start. */
export interface Command {
  /** Defaults to Node. */
  program?: string;
  args: string[];
  environment: Record<string, string>;
  /** A pattern in the output of a ready process, or a probe that succeeds once it is ready. */
  ready: RegExp | (() => Promise<unknown>);
}

/**
 * Starts a program on the server's core and waits until it is ready. Of this environment it inherits only
 * PATH.
 * @throws Error with its output if it exits or is not ready in time
 */
export async function startMeasured(command: Command): Promise<MeasuredProcess> {
  const startedAt = performance.now();
  const child = spawn(...onServerCore(command.program ?? process.execPath, command.args), {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...command.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await whenReady(child, command.ready);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const readyMs = performance.now() - startedAt;
  const { pid = 0 } = child;
  return {
    pid,
    readyMs,
    usage: () => usageOfTree(pid),
    stop: () => stop(child),
  };
}

/** Keeps reading the output for the lifetime of the process, so that its writes never block. */
function whenReady(child: ChildProcess, ready: Command["ready"]): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => fail("was not ready in time"), START_TIMEOUT_MS);
    const succeed = () => {
      clearTimeout(timer);
      resolve();
    };
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new Error(`The measured process ${what}:\n${output}`));
    };
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
      if (ready instanceof RegExp && ready.test(output)) succeed();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    if (!(ready instanceof RegExp)) {
      eventually(ready).then(succeed, (error) => fail(`does not answer (${error})`));
    }
    child.once("error", (error) => fail(`could not be started (${error.message})`));
    child.once("exit", (code) => fail(`exited with ${code}`));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}
