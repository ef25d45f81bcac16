import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** What the demo takes from credentials.json, which a server's first start writes. */
export interface Credentials {
  base_url: string;
  graphql_url: string;
  chat_url: string;
  chat_domain: string;
  application_id: number;
  auth_key: string;
  auth_secret: string;
}

/** A server to talk to. */
export interface Server {
  credentials: Credentials;
  /** Ends a server that the demo started; leaves any other alone. */
  stop(): Promise<void>;
}

/** There is no server to talk to; the message says why, for a person. */
export class NoServer extends Error {
  override readonly name = "NoServer";
}

/** A new database takes some seconds to set up, more on a slow disk. */
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
/** Where the build puts the service, seen from this file's own place in it. */
const SERVICE = join(__dirname, "../src/main.js");

/**
 * Finds the running server that a credentials file belongs to.
 * @returns null when there is no such file, or nobody answers at its base URL
 * @throws NoServer for a file that is none of a server's
 */
export async function findServer(path: string): Promise<Server | null> {
  const credentials = await readCredentials(path);
  if (!credentials || !(await isReady(credentials.base_url))) return null;
  return { credentials, stop: async () => undefined };
}

/** What the demonstration speaks: free ports for it, and no others. */
const PORTS = {
  PORT: "0",
  XMPP_WS_PORT: "0",
  XMPP_WSS_PORT: "off",
  XMPP_TCP_PORT: "off",
  XMPP_TLS_PORT: "off",
};

/**
 * Starts a server in a process of its own, on free ports and a database that is removed with it.
 * @param onStart gets how to end it as soon as there is something to end
 * @throws NoServer with what the server printed, when it ends or is not ready within a minute
 */
export async function startServer(onStart: (stop: () => Promise<void>) => void): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-demo-"));
  const child = spawn(process.execPath, [SERVICE], {
    // Nothing of this process's environment: the server is not to find somebody's database in it.
    env: { DATA_DIR: folder, ...PORTS, LOG_LEVEL: "error" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-2_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.on("error", keep);

  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  onStart(stop);
  const path = join(folder, "credentials.json");
  for (const limit = Date.now() + START_LIMIT_MS; Date.now() < limit; await delay(50)) {
    if (hasEnded(child)) break;
    const credentials = await readCredentials(path);
    if (credentials && (await isReady(credentials.base_url))) return { credentials, stop };
  }
  throw new NoServer(`The demo's own server did not start. It said:\n\n${output.trim()}`);
}

async function readCredentials(path: string): Promise<Credentials | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new NoServer(`${path} cannot be read: ${(error as Error).message}`);
  }
  let content: Partial<Credentials>;
  try {
    content = JSON.parse(text) ?? {};
  } catch {
    throw new NoServer(`${path} is not JSON, so it is not a server's credentials.json.`);
  }
  const texts = ["base_url", "graphql_url", "chat_url", "chat_domain", "auth_key", "auth_secret"];
  const missing = texts.filter((name) => typeof content[name as keyof Credentials] !== "string");
  if (typeof content.application_id !== "number") missing.push("application_id");
  if (missing.length === 0) return content as Credentials;
  throw new NoServer(`${path} is not a server's credentials.json: no ${missing.join(", ")} in it.`);
}

/** Whether a server of this kind answers there and takes requests. */
async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
    const { status } = (await response.json()) as { status?: unknown };
    return response.ok && status === "ready";
  } catch {
    return false;
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
  await ended;
  clearTimeout(limit);
}
