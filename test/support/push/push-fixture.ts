import { type Clock, systemClock } from "../../../src/core/clock";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { newKey } from "../../../src/core/random";
import { Sealer } from "../../../src/core/sealer";
import type { DeliverJob, FanOutJob } from "../../../src/domain/push/delivery/fan-out";
import type { PushDeps } from "../../../src/domain/push/deps/push-deps";
import { openUserModules } from "../../../src/open-domain";
import { openBus } from "../../../src/platform/bus/open";
import type { EnqueueIn, JobOptions, Jobs } from "../../../src/platform/jobs/jobs";
import { openLimiters } from "../../../src/platform/limits/open-limiter";
import { RateLimits } from "../../../src/platform/limits/rate-limits";
import { openStore } from "../../../src/platform/store/open";
import type { Store } from "../../../src/platform/store/store";
import { freshDatabase } from "../operations/database";
import { RecordingProviders } from "./recording-provider";

/** The push module on its own database. Records jobs, which the test runs itself. */
export interface PushFixture {
  push: PushDeps;
  store: Store;
  providers: RecordingProviders;
  /** Enqueued fan-out and delivery jobs. */
  fanOutJobs: FanOutJob[];
  deliverJobs: DeliverJob[];
  /** Options of each delivery job. */
  options: Array<JobOptions | undefined>;
  close(): Promise<void>;
}

type Statements = Pick<Store, "query">;

/** Options of the fixture. */
export interface PushFixtureOptions {
  /** Wraps the store of the push module, for statements inside and outside of transactions. */
  wrap?: (on: Statements) => Statements;
  clock?: Clock;
}

/** Opens the fixture. */
export async function openPushFixture({
  wrap = (on) => on,
  clock = systemClock,
}: PushFixtureOptions = {}): Promise<PushFixture> {
  const database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  const log = openLog("silent");
  const store = await openStore({ config, log, isNode: true });
  const bus = await openBus({ config, log, clock });
  const limiters = await openLimiters({ config, log, clock });
  const modules = await openUserModules({
    config,
    bus,
    clock,
    log,
    sealer: new Sealer([newKey()]),
    store,
    limits: new RateLimits(config, limiters),
    endpoints: { api: () => "", chat: "", turn: "" },
  });
  const fanOutJobs: FanOutJob[] = [];
  const deliverJobs: DeliverJob[] = [];
  const options: Array<JobOptions | undefined> = [];
  const enqueue: EnqueueIn = async (_transaction, name, data, jobOptions) => {
    if (name === "push-fan-out") fanOutJobs.push(data as FanOutJob);
    else {
      deliverJobs.push(data as DeliverJob);
      options.push(jobOptions);
    }
  };
  const jobs: Jobs = {
    work: () => undefined,
    enqueue: () => Promise.reject(new Error("pushes enqueue their jobs in transactions")),
    openQueues: async () => enqueue,
    close: async () => undefined,
  };
  const providers = new RecordingProviders();
  const push: PushDeps = {
    ...modules,
    // Only what the push module runs: other modules read in the background.
    store: {
      ...store,
      query: wrap(store).query,
      transaction: (act) => store.transaction((open) => act({ ...open, ...wrap(open) })),
    },
    config,
    bus,
    jobs,
    metrics: openMetrics(),
    provider: providers.open,
    credentialsSetAt: async () => null,
    noteCredentials: async () => undefined,
  };
  return {
    push,
    store,
    providers,
    fanOutJobs,
    deliverJobs,
    options,
    async close() {
      await modules.close();
      await limiters.close();
      await bus.close();
      await store.close();
      await database.remove();
    },
  };
}
