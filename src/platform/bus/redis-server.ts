import type { Problem } from "../../core/startup/start-error";

/** The facts of the reply to INFO, by name (redis.io "INFO"). */
export type RedisFacts = ReadonlyMap<string, string>;

/** Parses the `name:value` lines of INFO. */
export function parseInfo(text: string): RedisFacts {
  return new Map(
    text.split(/\r?\n/).flatMap((line): Array<[string, string]> => {
      const colon = line.indexOf(":");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
}

/** Why a server cannot serve the bus, whatever its state; null if it can. docs/OPERATIONS.md has the same sentences. */
export function unsupportedServer(facts: RedisFacts): Problem | null {
  if (facts.get("redis_mode") === "sentinel") {
    return {
      detail: "REDIS_URL is the address of a Redis Sentinel, which is not supported",
      fix: "set it to the primary that the Sentinel watches",
    };
  }
  if (facts.get("cluster_enabled") === "1") {
    return {
      detail: "Redis (REDIS_URL) is a node of a Redis Cluster, which is not supported",
      fix: "use one Redis server that is not in cluster mode",
    };
  }
  if (facts.get("role") === "slave") {
    return {
      detail: "Redis (REDIS_URL) is a replica, which accepts no writes",
      fix: "set REDIS_URL to the primary",
    };
  }
  return null;
}

/**
 * Whether an error reply means that the server is not the primary (any more): a replica, one that has lost its primary,
 * or one that loads the data of another. Redis 6.2 puts the reply of a script's command behind a text of its own.
 */
export function isNotPrimary(reply: string): boolean {
  return /(?:^|: -)(?:READONLY|MASTERDOWN|LOADING) /.test(reply);
}
