import type { Redis } from "ioredis";
import type { Clock } from "../../core/clock";
import { newId } from "../../core/random";
import type { Problem } from "../../core/startup/start-error";
import { defineAppend, probeAppend } from "./redis-append";
import { parseInfo, unsupportedServer } from "./redis-server";

/** The oldest version of Redis that the bus supports. */
export const REDIS_VERSION_MIN = [6, 2] as const;

/** Facts about a Redis server that the bus can use. */
export interface RedisInfo {
  version: string;
  /** Its error reply to a write like those of signals and limits; null if it accepts them. */
  refusedWrite: string | null;
  /** Memory limit in bytes; 0 for none. */
  maxMemory: number;
  /** Eviction policy at the memory limit (redis.io "Key eviction"); empty if not reported. */
  maxMemoryPolicy: string;
  /** Whether the append-only file is enabled. */
  appendOnly: boolean;
  /**
   * When it flushes the append-only file to disk (redis.io "Persistence": `always`, `everysec`, `no`); null
   * if this user may not run CONFIG, which many hosting providers disable.
   */
  appendFsync: string | null;
  /** How far its clock is ahead of this machine's, in milliseconds. */
  clockAheadMs: number;
}

/** A write, which leaves nothing behind after a second. @throws the error reply of Redis */
type Probe = (client: Redis) => Promise<unknown>;

/**
 * Inspects a Redis server over a separate connection. It writes as a signal does, to keys that expire after a second.
 * @param timeoutMs timeout of the connection attempt and of each command
 * @param probe a further write
 * @returns the facts, or why the bus cannot use the server
 * @throws Error with the reason why it cannot be inspected, without the password
 */
export async function inspectRedis(
  url: string,
  clock: Clock,
  timeoutMs: number,
  probe: Probe,
): Promise<RedisInfo | { unsupported: Problem }> {
  // Loaded lazily to save the memory of the client on a single node.
  const { Redis } = require("ioredis") as typeof import("ioredis");
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    disconnectTimeout: 100,
    retryStrategy: () => null,
    connectionName: "signalbox-doctor",
  });
  // The first error is the cause; later ones only report the closed connection. For a database that does not
  // exist, ioredis emits an error but goes on with database 0.
  const reasons: Error[] = [];
  client.on("error", (error) => reasons.push(error));
  try {
    await client.connect();
    const facts = parseInfo(await client.info());
    const unsupported = unsupportedServer(facts);
    // Cluster nodes and Sentinels have no other database than 0, which is no reason of its own.
    if (unsupported !== null) return { unsupported };
    if (reasons.length > 0) throw reasons[0];
    const before = clock.now();
    const [seconds, micros] = await client.time();
    const clockAheadMs =
      Number(seconds) * 1000 + Number(micros) / 1000 - (before + clock.now()) / 2;
    return {
      version: facts.get("redis_version") ?? "unknown",
      refusedWrite: await refusedWrite(client, probe),
      maxMemory: Number(facts.get("maxmemory") ?? 0),
      maxMemoryPolicy: facts.get("maxmemory_policy") ?? "",
      appendOnly: facts.get("aof_enabled") === "1",
      appendFsync: await readSetting(client, "appendfsync"),
      clockAheadMs,
    };
  } catch (error) {
    throw reasons[0] ?? error;
  } finally {
    client.disconnect();
  }
}

async function refusedWrite(client: Redis, probe: Probe): Promise<string | null> {
  defineAppend(client);
  try {
    await probeAppend(client, `probe-${newId()}`);
    await probe(client);
    return null;
  } catch (error) {
    if (isReply(error)) return error.message;
    throw error;
  }
}

/** Reads a setting with CONFIG GET; null if Redis refuses. */
async function readSetting(client: Redis, name: string): Promise<string | null> {
  try {
    const [, value] = (await client.config("GET", name)) as string[];
    return value ?? null;
  } catch (error) {
    if (isReply(error)) return null;
    throw error;
  }
}

/** Whether an error is a reply of Redis itself; otherwise the connection has failed. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}
