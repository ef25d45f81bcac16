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

/** Starts a server that keeps nothing, on a port of the loopback address. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const program = findProgram("redis-server");
  const folder = await mkdtemp(join(tmpdir(), "signalbox-redis-"));
  const chosen = port ?? (await freePort());
  const server = Server.start(program, [
    ...["--port", String(chosen), "--bind", "127.0.0.1", "--dir", folder],
    ...["--save", "", "--appendonly", "no", "--databases", String(REDIS_DATABASES)],
  ]);
  const stop = async (signal?: NodeJS.Signals) => {
    await server.stop(signal ?? "SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.ready(() => ping(chosen));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${chosen}`, port: chosen, stop };
}

/** Sends one inline command (Redis protocol, "Inline commands"); answers the first reply line. */
export function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.setTimeout(2_000, () => socket.destroy(new Error("Redis does not answer")));
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
