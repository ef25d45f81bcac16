import Redis from "ioredis";
import type { Clock } from "../core/clock";

/** The oldest version of Redis that the bus supports. */
export const REDIS_VERSION_MIN = [6, 2] as const;

/** Facts about a Redis server, read without changing it. */
export interface RedisInfo {
  version: string;
  /** `master`, or `slave` for a replica, which accepts no writes. */
  role: string;
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

/**
 * Inspects a Redis server over a separate connection.
 * @param timeoutMs timeout of the connection attempt and of each command
 * @throws Error with the reason why it cannot be inspected, without the password
 */
export async function inspectRedis(
  url: string,
  clock: Clock,
  timeoutMs: number,
): Promise<RedisInfo> {
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
    const before = clock.now();
    const [seconds, micros] = await client.time();
    const clockAheadMs =
      Number(seconds) * 1000 + Number(micros) / 1000 - (before + clock.now()) / 2;
    const facts = readInfo(await client.info());
    if (reasons.length > 0) throw reasons[0];
    return {
      version: facts.get("redis_version") ?? "unknown",
      role: facts.get("role") ?? "unknown",
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

/** Reads a setting with CONFIG GET; null if Redis refuses. */
async function readSetting(client: Redis, name: string): Promise<string | null> {
  try {
    const [, value] = (await client.config("GET", name)) as string[];
    return value ?? null;
  } catch (error) {
    // An error reply of Redis itself; a failed connection is handled by the caller.
    if (error instanceof Error && error.name === "ReplyError") return null;
    throw error;
  }
}

/** Parses the `name:value` lines of INFO. */
function readInfo(text: string): Map<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line): Array<[string, string]> => {
      const colon = line.indexOf(":");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
}
