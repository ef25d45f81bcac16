import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { JobCounts } from "../../platform/jobs/job-queries";
import type { JobMonitor } from "../../platform/jobs/jobs";
import { openMigrationConnection } from "../../platform/store/migration-connection";
import type { Store } from "../../platform/store/store";
import { checkDatabase, type DatabaseAccess } from "./checks/database";
import { type Finding, withTimeout } from "./checks/finding";
import { inCheckOrder, runServiceChecks, type ServiceCheck } from "./checks/service-checks";
import { type ListedNode, listNodes } from "./nodes/node-queries";

/** How long a report is reused, in milliseconds. */
const REPORT_MS = 5_000;
/** How long the findings of a check that signs in to another server are reused, in milliseconds. */
const SIGN_IN_MS = 60_000;
/** Time-out of the checks of the database, in seconds. */
const DATABASE_SECONDS = 10;

/** The state of a deployment as one of its nodes sees it. */
export interface HealthReport {
  checkedAt: Date;
  /** The node that ran the checks. */
  nodeId: string;
  checks: Finding[];
  nodes: ListedNode[];
  queues: JobCounts[];
}

/** Dependencies of {@link HealthMonitor}. */
export interface HealthMonitorDeps {
  config: Config;
  store: Store;
  clock: Clock;
  jobs: JobMonitor;
  nodeId: string;
}

/**
 * Runs the checks of `signalbox doctor` in this node. Callers that arrive together share one run, and its report is
 * reused for some seconds: requests decide neither how often nor how many checks run. A page that stays open asks again
 * and again, so what signs in to other servers runs once a minute.
 */
export class HealthMonitor {
  private latest: HealthReport | null = null;
  private running: Promise<HealthReport> | null = null;
  /** What the checks that sign in have found, by name, with the time in milliseconds. */
  private readonly signedIn = new Map<string, { at: number; findings: Finding[] }>();

  constructor(private readonly deps: HealthMonitorDeps) {}

  /** Returns a report that is at most some seconds old. @throws Fault UNAVAILABLE without the database */
  report(): Promise<HealthReport> {
    const { latest } = this;
    if (latest && this.deps.clock.now() - latest.checkedAt.getTime() < REPORT_MS) {
      return Promise.resolve(latest);
    }
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async run(): Promise<HealthReport> {
    const { config, store, jobs, nodeId, clock } = this.deps;
    const [nodes, queues, service, database] = await Promise.all([
      listNodes(store.query),
      jobs.counts(),
      runServiceChecks(config, this.runCheck),
      withTimeout(DATABASE_SECONDS, "database", "Check its log.", () =>
        checkDatabase(config, databaseOf(config, store)),
      ),
    ]);
    const checks = inCheckOrder([...service, ...database]);
    this.latest = { checkedAt: new Date(clock.now()), nodeId, checks, nodes, queues };
    return this.latest;
  }

  private readonly runCheck = async (
    { name, signsIn }: ServiceCheck,
    run: () => Promise<Finding[]>,
  ): Promise<Finding[]> => {
    if (!signsIn) return run();
    const { clock } = this.deps;
    const earlier = this.signedIn.get(name);
    if (earlier && clock.now() - earlier.at < SIGN_IN_MS) return earlier.findings;
    const findings = await run();
    this.signedIn.set(name, { at: clock.now(), findings });
    return findings;
  };
}

/**
 * A PostgreSQL server gets a connection of the check's own, so that a busy pool is no failure. The embedded database
 * has one connection, which the check shares.
 */
function databaseOf(config: Config, store: Store): DatabaseAccess {
  if (store.kind === "postgresql") {
    return { open: () => openMigrationConnection(config), decryptSecrets: false };
  }
  const connection = {
    exec: (sql: string) => store.execute(sql),
    query: async <Row>(sql: string, values: unknown[] = []) =>
      (await store.execute(sql, values)).rows as Row[],
  };
  const open = async () => ({ connection, close: async () => undefined });
  return { open, decryptSecrets: false };
}
