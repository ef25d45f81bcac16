import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import type { Limiter } from "./limiter";
import { LocalLimiter } from "./local-limiter";

/** What a node counts with. */
export interface OpenLimiters {
  /** Counts on this node alone, at no cost: for what every request is counted by. */
  near: LocalLimiter;
  /** Counts for all nodes together: for what is dear or secret. */
  shared: Limiter;
  close(): Promise<void>;
}

/**
 * Opens what limits are counted with: over Redis with REDIS_URL, else in the process itself.
 * @throws Error when Redis cannot be reached
 */
export async function openLimiters(parts: {
  config: Pick<Config, "REDIS_URL">;
  clock: Clock;
  log: Log;
}): Promise<OpenLimiters> {
  const near = new LocalLimiter(parts.clock);
  const url = parts.config.REDIS_URL;
  if (url === undefined) return { near, shared: near, close: async () => undefined };
  const { openRedisLimiter } = require("./redis-limiter") as typeof import("./redis-limiter");
  const shared = await openRedisLimiter(url, parts.log, near);
  return { near, shared, close: () => shared.close() };
}
