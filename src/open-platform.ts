import { type Clock, systemClock } from "./core/clock";
import type { Config } from "./core/config";
import type { Lifecycle } from "./core/lifecycle";
import type { Log } from "./core/log";
import { type Metrics, openMetrics } from "./core/metrics";
import { newId } from "./core/random";
import type { Sealer } from "./core/sealer";
import { ApplicationCounters } from "./core/statistics/application-counters";
import { openSealer } from "./domain/applications/secret-key";
import type { Bus } from "./platform/bus/bus";
import { openBus } from "./platform/bus/open";
import type { JobMonitor, Jobs } from "./platform/jobs/jobs";
import { openJobs } from "./platform/jobs/pg-boss";
import { type ManagedLimiters, openLimiters } from "./platform/limits/open-limiter";
import { RateLimits } from "./platform/limits/rate-limits";
import type { Mailer } from "./platform/mail/mail";
import { openMail } from "./platform/mail/open";
import { Connector, type ConnectorOptions } from "./platform/network/connector";
import { measured } from "./platform/store/measured-store";
import { openStore } from "./platform/store/open";
import type { Store } from "./platform/store/store";
import { UntrustedProxy } from "./transports/http/untrusted-proxy";

/** What the modules of a node run on. */
export interface Platform {
  /**
   * Identifier of this process, new at each start. The list of nodes, the hosts of conferences and the open sockets share
   * it, so that the host of a conference is found in the list.
   */
  nodeId: string;
  config: Config;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  /** Counts what happens in each application. */
  counters: ApplicationCounters;
  store: Store;
  bus: Bus & { check(): Promise<void> };
  limiters: ManagedLimiters;
  /** Rate and failure limits (docs/LIMITS.md). */
  limits: RateLimits;
  /** Encrypts the secrets in the database. */
  sealer: Sealer;
  /** Null if no mail is configured. */
  mailer: Mailer | null;
  jobs: Jobs & JobMonitor;
  /** Opens connections to addresses that owners and clients choose. */
  connector: Connector;
  /** Whether this is the only node of the deployment. */
  singleNode: boolean;
  untrustedProxy: UntrustedProxy;
}

/** Parts of the platform that tests may replace. */
export interface PlatformOverrides {
  clock?: Clock;
  /** Called when the node lost its lock and must exit, since another node may run. */
  onLockLost?: (reason: string) => void;
  /** Stops the start: a migration that runs is cancelled and rolled back, and everything is closed again. */
  signal?: AbortSignal;
  /** How the connector for outbound URLs resolves and checks addresses. */
  connector?: Pick<ConnectorOptions, "resolve" | "isPrivate">;
  /** Poll interval of the job queue, in milliseconds. */
  jobsPollMs?: number;
  /** The first wait after failed attempts to sign in, in milliseconds. */
  firstWaitMs?: number;
}

/**
 * Opens database, bus, limits, mail and jobs. The jobs are not closed with the lifecycle yet: the code that
 * opens what running jobs use registers them after it.
 * @throws UnusableDatabaseError if the service must not start on the database; the reason of the signal
 */
export async function openPlatform(
  config: Config,
  log: Log,
  lifecycle: Lifecycle,
  overrides: PlatformOverrides,
): Promise<Platform> {
  const clock = overrides.clock ?? systemClock;
  const metrics = openMetrics();
  const { onLockLost, signal } = overrides;
  const opened = await openStore({ config, log, isNode: true, onLockLost, signal });
  const store = measured(opened, metrics);
  lifecycle.add("database", () => store.close());
  const bus = await openBus({ config, log, clock, metrics });
  lifecycle.add("bus", () => bus.close());
  const limiters = await openLimiters({
    config,
    log,
    clock,
    metrics,
    firstWaitMs: overrides.firstWaitMs,
  });
  lifecycle.add("limits", () => limiters.close());
  const sealer = await openSealer(config);
  const mailer = await openMail({ config, clock, log });
  if (mailer) lifecycle.add("mail", () => mailer.close());
  const singleNode = store.kind === "embedded" || config.REDIS_URL === undefined;
  const jobs = openJobs({ store, log, metrics, singleNode, pollMs: overrides.jobsPollMs });
  const connector = new Connector({
    allowPrivate: config.ALLOW_PRIVATE_NETWORKS,
    ...overrides.connector,
  });
  const limits = new RateLimits(config, limiters);
  return {
    nodeId: newId(),
    config,
    log,
    clock,
    metrics,
    counters: new ApplicationCounters(clock),
    store,
    bus,
    limiters,
    limits,
    sealer,
    mailer,
    jobs,
    connector,
    untrustedProxy: new UntrustedProxy(config.TRUST_PROXY, log),
    singleNode,
  };
}
