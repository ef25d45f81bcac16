import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { findProgram, freePort, run, Server } from "../../scripts/services/binaries";
import { packageRoot } from "../../src/core/package-root";

const DEPLOY = join(packageRoot(), "deploy/janus");
const FILES = ["janus.jcfg", "janus.plugin.videoroom.jcfg", "janus.transport.websockets.jcfg"];

/** Interface that a test makes on a machine with loopback alone. */
const DUMMY = "signalbox0";

/** Keys of the Janus servers of tests. */
export const JANUS_KEYS = {
  apiSecret: "api-secret-of-the-tests",
  adminKey: "admin-key-of-the-tests",
};

/** Secret of the Admin API of the Janus servers of tests. */
export const JANUS_ADMIN_SECRET = "admin-secret-of-the-tests";

/** A real Janus in its own folder, with the configuration of deploy/janus. */
export interface JanusProcess {
  url: string;
  /** URL of its Admin API. */
  adminUrl: string;
  /** Id of the process; 0 while there is none. */
  readonly pid: number;
  /** Resolves with the signal by which the process of this moment ends; null if it exits. */
  endedBy(): Promise<NodeJS.Signals | null>;
  /** Sends a signal; SIGKILL and SIGTERM also wait for the exit. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Starts it again after it was killed, with the same ports. */
  start(): Promise<void>;
  /** Kills it and removes its folder. */
  stop(): Promise<void>;
}

/** Options of {@link startJanus}. */
export interface JanusProcessOptions {
  /** Texts of the configuration files to replace; each must exist. */
  changes?: [was: string, is: string][];
}

/** Starts Debian's Janus with the files of deploy/janus on free ports. */
export async function startJanus(options: JanusProcessOptions = {}): Promise<JanusProcess> {
  const program = findProgram("janus", "janus");
  await needInterface();
  const folder = await mkdtemp(join(tmpdir(), "signalbox-janus-"));
  const [port, adminPort] = await Promise.all([freePort(), freePort()]);
  await configure(folder, [
    ["replace-with-openssl-rand-hex-24", JANUS_KEYS.apiSecret],
    ["replace-with-another-openssl-rand-hex-24", JANUS_KEYS.adminKey],
    ["replace-with-a-third-openssl-rand-hex-24", JANUS_ADMIN_SECRET],
    ["ws_port = 8188", `ws_port = ${port}`],
    ["admin_ws_port = 7188", `admin_ws_port = ${adminPort}`],
    ...(options.changes ?? []),
  ]);
  const url = `ws://127.0.0.1:${port}`;
  let server: Server | undefined;
  const end = async () => {
    // A stopped process does not handle SIGKILL's predecessors; SIGKILL ends it in any case.
    await server?.stop("SIGKILL");
    server = undefined;
  };
  const start = async () => {
    server = Server.start(program, ["--configs-folder", folder]);
    await server.ready(() => answers(url));
  };
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    adminUrl: `ws://127.0.0.1:${adminPort}`,
    get pid() {
      return server?.pid ?? 0;
    },
    endedBy: async () => (await server?.endedBy()) ?? null,
    start,
    stop,
    signal: async (name) => {
      if (!server) throw new Error("Janus does not run");
      if (name === "SIGKILL" || name === "SIGTERM") await server.stop(name);
      else process.kill(server.pid, name);
    },
  };
}

async function configure(folder: string, changes: [was: string, is: string][]): Promise<void> {
  const texts = await Promise.all(FILES.map((name) => readFile(join(DEPLOY, name), "utf8")));
  for (const [was, is] of changes) {
    const index = texts.findIndex((text) => text.includes(was));
    if (index < 0) throw new Error(`deploy/janus does not contain ${was}`);
    texts[index] = texts[index]?.replaceAll(was, is) ?? "";
  }
  for (const [index, name] of FILES.entries()) {
    await writeFile(join(folder, name), texts[index] ?? "", { mode: 0o600 });
  }
}

/** Resolves when Janus answers a ping. */
function answers(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, "janus-protocol", { handshakeTimeout: 2_000 });
    socket.once("open", () => socket.send(JSON.stringify({ janus: "ping", transaction: "ready" })));
    socket.once("message", () => {
      socket.close();
      resolve();
    });
    socket.once("error", reject);
  });
}

/** Janus gathers no candidates of the loopback interface, so that it needs another one. */
export async function needInterface(): Promise<void> {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  if (addresses.some(({ internal }) => !internal)) return;
  try {
    await run("ip", ["link", "add", DUMMY, "type", "dummy"]);
    await run("ip", ["address", "add", "198.51.100.1/32", "dev", DUMMY]);
    await run("ip", ["link", "set", DUMMY, "up"]);
  } catch (error) {
    throw new Error(
      `Janus needs a network interface beside loopback, and none could be made: ${String(error)}`,
    );
  }
}
