import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import type { OpenBus } from "./adapter";
import { openLocalBus } from "./local";

/**
 * Opens the bus that the configuration asks for: Redis with REDIS_URL, else the process itself.
 * @throws Error when Redis cannot be reached
 */
export async function openBus(parts: {
  config: Pick<Config, "REDIS_URL" | "INBOXES_BYTES">;
  clock: Clock;
  log: Log;
}): Promise<OpenBus> {
  const { REDIS_URL: url, INBOXES_BYTES } = parts.config;
  const bytesMost = INBOXES_BYTES || undefined;
  if (url === undefined) return openLocalBus(parts.clock, parts.log, bytesMost);
  // Loaded here, since a node that is alone can spare the memory of Redis' client.
  const { openRedisBus } = require("./redis") as typeof import("./redis");
  return openRedisBus(url, parts.log, bytesMost);
}
