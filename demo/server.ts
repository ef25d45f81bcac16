import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The fields of credentials.json that the demo uses. A server writes this file at its first start. */
export interface ServerCredentials {
  base_url: string;
  graphql_url: string;
  chat_url: string;
  chat_domain: string;
  application_id: number;
  auth_key: string;
  auth_secret: string;
}

/** A running server. */
export interface Server {
  credentials: ServerCredentials;
  /** Stops the server if the demo started it. */
  stop(): Promise<void>;
}

/** A server that the demo has started. */
export interface StartedServer extends Server {
  /** WebSocket URL of its endpoint for legacy conference clients. */
  janusUrl: string;
}

/** No server is available; the message gives the reason. */
export class NoServerError extends Error {
  override readonly name = "NoServerError";
}

/** Timeout of the start. The set-up of a new database takes some seconds, more on a slow disk. */
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
/** The built service, relative to this file in the build. */
const SERVICE = join(__dirname, "../src/main.js");

/**
 * Finds the running server of a credentials file.
 * @returns null if there is no such file, or no server answers at its base URL
 * @throws NoServerError if the file is not a server's credentials file
 */
export async function findServer(path: string): Promise<Server | null> {
  const credentials = await readCredentials(path);
  if (!credentials || !(await isReady(credentials.base_url))) return null;
  return { credentials, stop: async () => undefined };
}

/** Free ports for the protocols that the demo uses; the other protocols are off. */
const PORTS = {
  PORT: "0",
  XMPP_WS_PORT: "0",
  XMPP_WSS_PORT: "off",
  XMPP_TCP_PORT: "off",
  XMPP_TLS_PORT: "off",
  CONFERENCE_WSS_PORT: "off",
  RTC_PORT: "0",
};

/**
 * Starts a server as a separate process, on free ports and with a temporary database.
 * @param onStart receives the function that stops the server, as soon as the process exists
 * @throws NoServerError with the server's output if it exits or is not ready within a minute
 */
export async function startServer(
  onStart: (stop: () => Promise<void>) => void,
): Promise<StartedServer> {
  const conferencePort = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "signalbox-demo-"));
  const child = spawn(process.execPath, [SERVICE], {
    // Neither this environment nor .env, which may configure another database.
    cwd: folder,
    env: {
      DATA_DIR: folder,
      ...PORTS,
      CONFERENCE_WS_PORT: String(conferencePort),
      LOG_LEVEL: "error",
    },
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
  for (const limit = Date.now() + START_TIMEOUT_MS; Date.now() < limit; await delay(50)) {
    if (hasEnded(child)) break;
    const credentials = await readCredentials(path);
    if (credentials && (await isReady(credentials.base_url))) {
      return { credentials, janusUrl: `ws://127.0.0.1:${conferencePort}/`, stop };
    }
  }
  throw new NoServerError(`The demo's server did not start. Its output:\n\n${output.trim()}`);
}

async function readCredentials(path: string): Promise<ServerCredentials | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new NoServerError(`${path} cannot be read: ${(error as Error).message}`);
  }
  let content: Partial<ServerCredentials>;
  try {
    content = JSON.parse(text) ?? {};
  } catch {
    throw new NoServerError(`${path} is not JSON, so it is not a server's credentials.json.`);
  }
  const texts = ["base_url", "graphql_url", "chat_url", "chat_domain", "auth_key", "auth_secret"];
  const missing = texts.filter(
    (name) => typeof content[name as keyof ServerCredentials] !== "string",
  );
  if (typeof content.application_id !== "number") missing.push("application_id");
  if (missing.length === 0) return content as ServerCredentials;
  throw new NoServerError(
    `${path} is not a server's credentials.json: no ${missing.join(", ")} in it.`,
  );
}

/** Whether a Signalbox server is ready at the base URL. */
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
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** A TCP port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
