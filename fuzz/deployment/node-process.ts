import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Measures } from "./node-probe";

/** Milliseconds that a node may take to start, a new embedded database included. */
const START_MS = 180_000;
/** Milliseconds that it may take to end before it is killed. */
const STOP_MS = 30_000;
/** The level of `info` in the log; what is above it is told. */
const INFO = 30;

const DIST = join(__dirname, "../..");

/** A line of the log above `info`, or of standard error. */
export interface Complaint {
  text: string;
  /** The request that it is about, where it says. */
  requestId?: string;
}

/** A node as a process of its own. */
export interface NodeProcess {
  /** Where it listens, by what the banner calls it: `http`, `ws`, `wss`, `xmpp`, `xmpps`. */
  urls: Record<string, string>;
  /** Memory, and how long the event loop stood since it was asked last. */
  measure(): Promise<Measures>;
  /** How the process ended, if it has. */
  ended(): string | null;
  stop(): Promise<void>;
}

/**
 * Starts a built node and waits until it is ready.
 * @param complain called with each line that the log has above `info` from then on
 */
export async function startNodeProcess(
  environment: Record<string, string>,
  complain: (complaint: Complaint) => void,
): Promise<NodeProcess> {
  const child = spawn(
    process.execPath,
    ["--require", join(__dirname, "node-probe.js"), join(DIST, "src/main.js")],
    {
      env: { PATH: process.env.PATH, NODE_ENV: "production", LOG_LEVEL: "info", ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    },
  );
  let ended: string | null = null;
  child.once("exit", (code, signal) => {
    ended = `the process ended with ${code ?? signal}`;
  });
  const urls = await untilReady(child, complain);
  return {
    urls,
    ended: () => ended,
    measure: () =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(ended ?? "the process ended"));
        child.once("exit", fail);
        child.once("message", (measures) => {
          child.off("exit", fail);
          resolve(measures as Measures);
        });
        child.send("measure", (error) => error && fail());
      }),
    stop: () => stop(child),
  };
}

/** Reads the output to the end of the process; resolves with the addresses of the banner. */
function untilReady(
  child: ChildProcess,
  complain: (complaint: Complaint) => void,
): Promise<Record<string, string>> {
  const urls: Record<string, string> = {};
  let [ready, output] = [false, ""];
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`A node ${what}:\n${output}`));
    const timer = setTimeout(fail, START_MS, "did not become ready");
    child.once("exit", (code) => fail(`ended with ${code} before it was ready`));
    const read = (line: string) => {
      if (ready) {
        if (line.startsWith("{")) judge(line, complain);
        return;
      }
      output = `${output}${line}\n`.slice(-4_000);
      const address = /^ +(?:REST|Chat)? +((https?|wss?|xmpps?):\/\/\S+)/.exec(line);
      if (address?.[1] && address[2]) urls[address[2]] = address[1];
      if (!line.startsWith("  Credentials")) return;
      ready = true;
      clearTimeout(timer);
      resolve(urls);
    };
    createInterface({ input: child.stdout! }).on("line", read);
    createInterface({ input: child.stderr! }).on("line", (line) => {
      output = `${output}${line}\n`.slice(-4_000);
      if (ready) complain({ text: `standard error: ${line}` });
    });
  });
}

function judge(line: string, complain: (complaint: Complaint) => void): void {
  const { level, requestId, reqId } = JSON.parse(line) as Record<string, unknown>;
  if (typeof level !== "number" || level <= INFO) return;
  const id = requestId ?? reqId;
  complain({ text: line.slice(0, 4_000), ...(typeof id === "string" ? { requestId: id } : {}) });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  child.kill("SIGTERM");
  await gone;
  clearTimeout(timer);
}
