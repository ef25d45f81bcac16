import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import type { ManagedBus } from "./adapter";
import { openLocalBus } from "./local";
import type { RedisMetrics } from "./redis-connection";

/**
 * Opens the configured bus: over Redis if REDIS_URL is set, otherwise in memory.
 * @throws StartError when Redis cannot be reached
 */
export async function openBus(deps: {
  config: Pick<Config, "REDIS_URL" | "INBOXES_BYTES">;
  clock: Clock;
  log: Log;
  metrics?: RedisMetrics;
}): Promise<ManagedBus> {
  const { REDIS_URL: url, INBOXES_BYTES } = deps.config;
  const bytesMax = INBOXES_BYTES || undefined;
  if (url === undefined) return openLocalBus(deps.clock, deps.log, bytesMax);
  // Loaded lazily to save the memory of the Redis client on a single node.
  const { openRedisBus } = require("./redis") as typeof import("./redis");
  return openRedisBus(url, deps.log, bytesMax, deps.metrics);
}
