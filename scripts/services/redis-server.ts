import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, freePort, Server } from "./binaries";

/** A temporary Redis server for tests and benchmarks. */
export interface RedisServer {
  /** URL without a database number. */
  url: string;
  port: number;
  /** Stops the server; SIGKILL simulates a crash. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Number of databases; each test uses one. */
export const REDIS_DATABASES = 10_000;

/** Starts a Sentinel that watches nothing, on a port of the loopback address. */
export async function startSentinel(): Promise<RedisServer> {
  const folder = await newFolder();
  const port = await freePort();
  const file = join(folder, "sentinel.conf");
  await writeFile(file, `bind 127.0.0.1\nport ${port}\ndir ${folder}\n`);
  const server = Server.start(findProgram("redis-server"), [file, "--sentinel"]);
  const stop = async (signal?: NodeJS.Signals) => {
    await server.stop(signal ?? "SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.ready(() => ping(port));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, port, stop };
}

/** A server that loses no data in a crash. */
export interface DurableRedis extends RedisServer {
  /** Stops it and starts it again on the same port with its stored data. */
  restart(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a server without persistence, on a port of the loopback address.
 * @param args further arguments of redis-server
 */
export async function startRedis(port?: number, args: string[] = []): Promise<RedisServer> {
  const folder = await newFolder();
  const chosen = port ?? (await freePort());
  const server = await launch(folder, chosen, ["--appendonly", "no", ...args]);
  const stop = async (signal?: NodeJS.Signals) => {
    await server.stop(signal ?? "SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${chosen}`, port: chosen, stop };
}

/** Starts a server that writes every command to its file before it replies (redis.io "Persistence"). */
export async function startDurableRedis(): Promise<DurableRedis> {
  const folder = await newFolder();
  const port = await freePort();
  const start = () => launch(folder, port, ["--appendonly", "yes", "--appendfsync", "always"]);
  let server = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async restart(signal) {
      await server.stop(signal ?? "SIGTERM");
      server = await start();
    },
    async stop(signal) {
      await server.stop(signal ?? "SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const newFolder = () => mkdtemp(join(tmpdir(), "signalbox-redis-"));

/** Starts the program and waits until it replies. Deletes the folder if it does not. */
async function launch(folder: string, port: number, args: string[]): Promise<Server> {
  const server = Server.start(findProgram("redis-server"), [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--databases",
    String(REDIS_DATABASES),
    ...args,
  ]);
  try {
    await server.ready(() => ping(port));
    return server;
  } catch (error) {
    await server.stop("SIGTERM");
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Sends one inline command (Redis protocol, "Inline commands"). @returns the reply's first line */
export function sendCommand(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.setTimeout(30_000, () => socket.destroy(new Error("Redis does not reply")));
    socket.once("error", reject);
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString().trim());
    });
  });
}

async function ping(port: number): Promise<void> {
  const answer = await sendCommand(port, "PING");
  if (answer !== "+PONG") throw new Error(answer);
}
