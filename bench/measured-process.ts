import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "../scripts/services/binaries";
import { onServerCore } from "./process-pins";
import { type Usage, usageOfTree } from "./process-usage";

/** Milliseconds that a process may take to start, a new embedded database included. */
const START_MS = 60_000;
/** Milliseconds that it may take to end before it is killed. */
const STOP_MS = 15_000;

/** A process on the server's core. */
export interface MeasuredProcess {
  /** Milliseconds from its start to its being ready. */
  readyMs: number;
  /** Of the process and what it started. */
  usage(): Usage;
  /** Ends it in good order, by SIGTERM. */
  stop(): Promise<void>;
}

/** What to start. */
export interface Command {
  /** Node when it is left out. */
  program?: string;
  words: string[];
  environment: Record<string, string>;
  /** What its output holds once it is ready, or what succeeds only then. */
  ready: RegExp | (() => Promise<unknown>);
}

/**
 * Starts a program on the server's core and waits until it says that it is ready. It sees no
 * variable of this environment but PATH.
 * @throws Error with what it printed, when it ends or stays silent
 */
export async function startMeasured(command: Command): Promise<MeasuredProcess> {
  const begun = performance.now();
  const child = spawn(...onServerCore(command.program ?? process.execPath, command.words), {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...command.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await untilReady(child, command.ready);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const readyMs = performance.now() - begun;
  return {
    readyMs,
    usage: () => usageOfTree(child.pid ?? 0),
    stop: () => stop(child),
  };
}

/** Output is read to the end of the process, so that it never waits for a reader. */
function untilReady(child: ChildProcess, ready: Command["ready"]): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => fail("did not become ready"), START_MS);
    const succeed = () => {
      clearTimeout(timer);
      resolve();
    };
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new Error(`The process to measure ${what}:\n${output}`));
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
    child.once("exit", (code) => fail(`ended with ${code}`));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}
