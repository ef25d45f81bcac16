import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, freePort, Server } from "./binaries";

/** A throw-away Redis, of a test run or a measurement. */
export interface RedisServer {
  /** Address without a database number. */
  url: string;
  port: number;
  /** Ends the server, with SIGKILL for one that dies without a word. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Number of databases, each for one test. */
export const REDIS_DATABASES = 10_000;

/** A server that loses nothing when it dies. */
export interface DurableRedis extends RedisServer {
  /** Ends it and starts it again on its port, with what it had written down. */
  restart(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a server that keeps nothing, on a port of the loopback address. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const folder = await newFolder();
  const chosen = port ?? (await freePort());
  const server = await launch(folder, chosen, ["--appendonly", "no"]);
  const stop = async (signal?: NodeJS.Signals) => {
    await server.stop(signal ?? "SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${chosen}`, port: chosen, stop };
}

/** Starts a server that writes everything to its file before it answers (redis.io "Persistence"). */
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

/** Starts the program and waits until it answers; removes the folder of one that does not. */
async function launch(folder: string, port: number, words: string[]): Promise<Server> {
  const server = Server.start(findProgram("redis-server"), [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
    ...["--databases", String(REDIS_DATABASES), ...words],
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

/** Sends one inline command (Redis protocol, "Inline commands"); answers the first reply line. */
export function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.setTimeout(30_000, () => socket.destroy(new Error("Redis does not answer")));
    socket.once("error", reject);
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString().trim());
    });
  });
}

async function ping(port: number): Promise<void> {
  const answer = await ask(port, "PING");
  if (answer !== "+PONG") throw new Error(answer);
}
