import { type Clock, systemClock } from "../../../src/core/clock";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { newKey } from "../../../src/core/random";
import { Sealer } from "../../../src/core/sealer";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import type { DeliverJob, FanOutJob } from "../../../src/domain/push/delivery/fan-out";
import type { PushDeps } from "../../../src/domain/push/deps/push-deps";
import { SessionEvents } from "../../../src/domain/session-events/session-events";
import { openBus } from "../../../src/platform/bus/open";
import type { EnqueueIn, JobOptions, Jobs } from "../../../src/platform/jobs/jobs";
import { openLimiters } from "../../../src/platform/limits/open-limiter";
import { RateLimits } from "../../../src/platform/limits/rate-limits";
import { Connector } from "../../../src/platform/network/connector";
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
  const sessionEvents = await SessionEvents.open(bus, log);
  const connector = new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS });
  const fanOutJobs: FanOutJob[] = [];
  const deliverJobs: DeliverJob[] = [];
  const options: Array<JobOptions | undefined> = [];
  const enqueue: EnqueueIn = async (_transaction, name, data, jobOptions) => {
    if (name === "push-fan-out") fanOutJobs.push(data as FanOutJob);
    else {
      for (const job of [data].flat()) {
        deliverJobs.push(job as DeliverJob);
        options.push(jobOptions);
      }
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
    store: {
      ...store,
      query: wrap(store).query,
      transaction: (act) => store.transaction((open) => act({ ...open, ...wrap(open) })),
    },
    config,
    bus,
    jobs,
    clock,
    log,
    sealer: new Sealer([newKey()]),
    limits: new RateLimits(config, limiters),
    sessionEvents,
    connector,
    metrics: openMetrics(),
    counters: new ApplicationCounters(clock),
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
      await sessionEvents.close();
      connector.close();
      await limiters.close();
      await bus.close();
      await store.close();
      await database.remove();
    },
  };
}
