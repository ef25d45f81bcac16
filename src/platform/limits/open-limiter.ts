import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import type { RedisMetrics } from "../bus/redis-connection";
import type { Limiter } from "./limiter";
import { LocalLimiter } from "./local-limiter";

/** The limiters of a node. */
export interface ManagedLimiters {
  /** Counts on this node only, without a round trip; for limits that apply to every request. */
  local: LocalLimiter;
  /** Counts for all nodes together; for expensive operations and for secrets. */
  global: Limiter;
  close(): Promise<void>;
}

/**
 * Opens the limiters: over Redis if REDIS_URL is set, otherwise in memory.
 * @throws StartError when Redis cannot be reached
 */
export async function openLimiters(deps: {
  config: Pick<Config, "REDIS_URL">;
  clock: Clock;
  log: Log;
  metrics?: RedisMetrics;
  /** The first wait after failed attempts, in milliseconds. */
  firstWaitMs?: number | undefined;
}): Promise<ManagedLimiters> {
  const local = new LocalLimiter(deps.clock, deps.firstWaitMs);
  const url = deps.config.REDIS_URL;
  if (url === undefined) return { local, global: local, close: async () => undefined };
  const { openRedisLimiter } = require("./redis-limiter") as typeof import("./redis-limiter");
  const global = await openRedisLimiter(url, deps.log, local, deps.metrics);
  return { local, global, close: () => global.close() };
}
