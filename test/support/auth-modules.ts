import { type Clock, systemClock } from "../../src/core/clock";
import { readConfig } from "../../src/core/config";
import { Lifecycle } from "../../src/core/lifecycle";
import { openLog } from "../../src/core/log";
import { newKey } from "../../src/core/random";
import { Sealer } from "../../src/core/sealer";
import { ApplicationCounters } from "../../src/core/statistics/application-counters";
import { type AuthModules, type AuthPlatform, openAuthModules } from "../../src/open-domain";
import { openBus } from "../../src/platform/bus/open";
import type { Jobs } from "../../src/platform/jobs/jobs";
import { openLimiters } from "../../src/platform/limits/open-limiter";
import { RateLimits } from "../../src/platform/limits/rate-limits";
import { Connector } from "../../src/platform/network/connector";
import type { Store } from "../../src/platform/store/store";

/** Modules outside of a node, with what they run on. */
export interface TestModules extends AuthModules {
  platform: AuthPlatform;
  /** Closes them, and all that they run on except the store. */
  close(): Promise<void>;
}

/** Jobs that are not run. */
const NO_JOBS: Jobs = {
  work: () => undefined,
  enqueue: async () => undefined,
  openQueues: async () => async () => undefined,
  close: async () => undefined,
};

/**
 * Opens the modules on a test's store. Without a configuration they receive no events of other nodes, as if their bus
 * were unavailable.
 */
export async function openTestModules({
  store,
  config = readConfig({}),
  clock = systemClock,
  sealer = new Sealer([newKey()]),
}: {
  store: Store;
  config?: AuthPlatform["config"];
  clock?: Clock;
  sealer?: Sealer;
}): Promise<TestModules> {
  const log = openLog("silent");
  const lifecycle = new Lifecycle(log);
  const bus = await openBus({ config, log, clock });
  lifecycle.add("bus", () => bus.close());
  const limiters = await openLimiters({ config, log, clock });
  lifecycle.add("limits", () => limiters.close());
  const platform: AuthPlatform = {
    config,
    store,
    bus,
    clock,
    log,
    sealer,
    limits: new RateLimits(config, limiters),
    counters: new ApplicationCounters(clock),
    connector: new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS }),
    jobs: NO_JOBS,
    mailer: null,
  };
  const modules = await openAuthModules(platform, lifecycle, () => "");
  return { ...modules, platform, close: () => lifecycle.close() };
}
