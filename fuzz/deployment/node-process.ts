import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { devNull } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ReadyNode } from "../../src/core/console";
import { UNTRUSTED_PROXY_WARNING } from "../../src/transports/http/untrusted-proxy";
import type { Measurements } from "./node-probe";

/** Timeout of a node's start, including creation of the embedded database, in milliseconds. */
const START_MS = 180_000;
/** Timeout of a graceful shutdown before the node is killed, in milliseconds. */
const STOP_MS = 30_000;
/** Log level `info`; lines above it are reported. */
const INFO = 30;

const DIST = join(__dirname, "../..");

/** A log line above `info`, or a line on standard error. */
export interface LogWarning {
  text: string;
  /** The request id in the line, if any. */
  requestId?: string;
}

/** A node in its own process. */
export interface NodeProcess {
  /** Its URLs by scheme, from the line of its log that says that it is ready: `http`, `ws`, `wss`, `xmpp`, `xmpps`, `janus-ws`, `janus-wss`. */
  urls: Record<string, string>;
  /** Memory, and event loop delays since the last call. */
  measure(): Promise<Measurements>;
  /** How the process exited, or null while it runs. */
  exitReason(): string | null;
  stop(): Promise<void>;
}

/**
 * Starts a built node and waits until it is ready.
 * @param complain called for each later log line above `info`
 */
export async function startNodeProcess(
  environment: Record<string, string>,
  complain: (complaint: LogWarning) => void,
): Promise<NodeProcess> {
  const child = spawn(
    process.execPath,
    [
      ...["--require", join(__dirname, "node-probe.js"), join(DIST, "src/main.js")],
      // Without a developer's .env.
      ...["--env-file", devNull],
    ],
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
    exitReason: () => ended,
    measure: () =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(ended ?? "the process ended"));
        child.once("exit", fail);
        child.once("message", (measures) => {
          child.off("exit", fail);
          resolve(measures as Measurements);
        });
        child.send("measure", (error) => error && fail());
      }),
    stop: () => stop(child),
  };
}

/** Reads the output until the process exits; resolves with the URLs of the node once it is ready. */
function untilReady(
  child: ChildProcess,
  complain: (complaint: LogWarning) => void,
): Promise<Record<string, string>> {
  let [ready, output] = [false, ""];
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`A node ${what}:\n${output}`));
    const timer = setTimeout(fail, START_MS, "did not become ready");
    child.once("exit", (code) => fail(`ended with ${code} before it was ready`));
    const read = (line: string) => {
      if (ready) {
        if (line.startsWith("{")) checkLogLine(line, complain);
        return;
      }
      output = `${output}${line}\n`.slice(-4_000);
      if (!line.endsWith('"msg":"Signalbox is ready"}')) return;
      ready = true;
      clearTimeout(timer);
      resolve(urlsOf(JSON.parse(line)));
    };
    createInterface({ input: child.stdout! }).on("line", read);
    createInterface({ input: child.stderr! }).on("line", (line) => {
      output = `${output}${line}\n`.slice(-4_000);
      if (ready) complain({ text: `standard error: ${line}` });
    });
  });
}

function urlsOf({ rest, chat, conferences }: ReadyNode): Record<string, string> {
  const legacy = Object.entries(conferences).map(([scheme, url]) => [`janus-${scheme}`, url]);
  const others = [rest, ...Object.values(chat)].map((url: string) => [url.split(":", 1)[0], url]);
  return Object.fromEntries([...others, ...legacy]);
}

function checkLogLine(line: string, complain: (complaint: LogWarning) => void): void {
  const { level, msg, requestId, reqId } = JSON.parse(line) as Record<string, unknown>;
  if (typeof level !== "number" || level <= INFO || msg === UNTRUSTED_PROXY_WARNING) return;
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
