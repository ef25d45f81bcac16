import Redis from "ioredis";
import type { Clock } from "../core/clock";

/** The oldest Redis that the bus runs on. */
export const REDIS_VERSION_MIN = [6, 2] as const;

/** What can be said of a Redis without changing it. */
export interface RedisFacts {
  version: string;
  /** `master`, or `slave` for a replica, which takes no writes. */
  role: string;
  /** Bytes that it may fill; 0 for all there are. */
  maxMemory: number;
  /** What it does when they are full (redis.io "Key eviction"); empty where it does not say. */
  maxMemoryPolicy: string;
  /** Whether it writes everything to an append-only file. */
  appendOnly: boolean;
  /**
   * When it has the disk take what it wrote there (redis.io "Persistence": `always`, `everysec`, `no`);
   * null where this user may not ask (CONFIG is kept from many, and from all by some who host it).
   */
  appendFsync: string | null;
  /** Milliseconds that its clock is ahead of this machine's. */
  clockAheadMs: number;
}

/**
 * Looks at a Redis over a connection of its own.
 * @param timeoutMs that connecting, and each command, may take
 * @throws Error that says why it cannot be asked, without the password
 */
export async function examineRedis(
  url: string,
  clock: Clock,
  timeoutMs: number,
): Promise<RedisFacts> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    disconnectTimeout: 100,
    retryStrategy: () => null,
    connectionName: "signalbox-doctor",
  });
  // What fails first says why; what is told later is that the connection is closed. A database that is
  // not there is told here alone, and the first one used in its place.
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

/** A setting by CONFIG GET; null where Redis refuses to tell. */
async function readSetting(client: Redis, name: string): Promise<string | null> {
  try {
    const [, value] = (await client.config("GET", name)) as string[];
    return value ?? null;
  } catch (error) {
    // What Redis itself answers; a connection that fails is told as any other.
    if (error instanceof Error && error.name === "ReplyError") return null;
    throw error;
  }
}

/** The lines `name:value` of INFO. */
function readInfo(text: string): Map<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line): Array<[string, string]> => {
      const colon = line.indexOf(":");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
}
