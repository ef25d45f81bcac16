import PgBoss from "pg-boss";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { inSpan } from "../../core/tracing";
import type { Store } from "../store/store";
import {
  CREATE_INDEXES,
  clearCompletion,
  countJobs,
  deleteFailedRuns,
  dueQueues,
  type FailedJob,
  type FailedJobRange,
  type JobCounts,
  lockFailedJob,
  readFailedJobs,
} from "./job-queries";
import { jobAttributes, withTrace } from "./job-spans";
import {
  type EnqueueIn,
  FAILED_DAYS,
  type JobHandler,
  type JobMonitor,
  type JobOptions,
  type Jobs,
  type WorkOptions,
} from "./jobs";
import { type Queue, Worker } from "./worker";

/** Poll interval for retries and for jobs of other nodes, in milliseconds. */
const POLL_MS = 5_000;

/** Default time after which a running job counts as lost with its process, in seconds. */
const LEASE_SECONDS = 5 * 60;
/** Minimum lease of a scheduled job, in seconds: until then no other node runs it. */
const SHORT_LEASE_SECONDS = 60;
/** Interval between checks for lost jobs, in seconds. */
const MAINTENANCE_SECONDS = 30;
/** Default number of retries, which takes some minutes. */
const RETRIES = 5;
/** Queue policy of scheduled jobs: at most one queued and one running job. */
const SCHEDULED_POLICY = "stately";
/**
 * Jobs are deleted soon, since their data may be personal: completed ones leave the queue after ten minutes, failed
 * ones when they can no longer be retried. Both are then deleted within minutes.
 */
const RETENTION = {
  archiveCompletedAfterSeconds: 10 * 60,
  archiveFailedAfterSeconds: FAILED_DAYS * 24 * 60 * 60,
  deleteAfterMinutes: 10,
};

/** On a single node, jobs that are active at the start were lost with the previous process. */
const RELEASE_ACTIVE = `DELETE FROM pgboss.job WHERE state = 'active' AND policy = '${SCHEDULED_POLICY}';
  UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active';`;

/** Creates the queues that are missing, given as an array of `{ name, policy }`. */
const CREATE_QUEUES = `SELECT pgboss.create_queue(queue->>'name', queue::json)
  FROM jsonb_array_elements($1::text::jsonb) AS queue`;
/** Serializes the creation of queues. */
const QUEUES_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('signalbox.queues', 0))";

/** Options of {@link openJobs}. */
export interface JobQueueOptions {
  store: Pick<Store, "execute" | "query" | "transaction">;
  log: Log;
  metrics?: Pick<Metrics, "jobRuns">;
  /** Whether this is the only node on the database. */
  singleNode: boolean;
  /** Poll interval, in milliseconds; five seconds by default. */
  pollMs?: number;
}

/**
 * Opens the job queue without accessing the database. The first job or poll creates the tables, in the schema
 * `pgboss`; this is retried while the database is unavailable.
 */
export function openJobs(parts: JobQueueOptions): Jobs & JobMonitor {
  return new QueuedJobs(parts);
}

class QueuedJobs implements Jobs, JobMonitor {
  private readonly workers = new Map<string, Worker>();
  /** Queues that exist or are being created. */
  private readonly queues = new Map<string, Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  /** Running statements. `close` waits for them, since the database is closed next. */
  private readonly statements = new Set<Promise<unknown>>();
  /** The poll in progress. */
  private polling: Promise<void> | null = null;
  private started: Promise<PgBoss> | null = null;
  private closed = false;

  constructor(private readonly parts: JobQueueOptions) {
    this.every(parts.pollMs ?? POLL_MS, () => {
      this.polling ??= this.poll().finally(() => {
        this.polling = null;
      });
    });
  }

  work<Data extends object>(
    name: string,
    handler: JobHandler<Data>,
    { concurrency = 1, everySeconds, applicationOf }: WorkOptions<Data> = {},
  ): void {
    if (this.workers.has(name)) throw new Error(`the jobs ${name} already have a worker`);
    const policy = everySeconds === undefined ? "standard" : SCHEDULED_POLICY;
    const { log, metrics, store } = this.parts;
    const forgetFailures = (except: string) =>
      this.track(deleteFailedRuns(store.query, name, except));
    this.workers.set(
      name,
      new Worker({
        name,
        policy,
        concurrency,
        log,
        metrics,
        openQueue: () => this.queue(name, policy),
        handler: (data, run) => handler(data as Data, run),
        applicationOf: applicationOf && ((data) => applicationOf(data as Data)),
        forgetFailures: everySeconds === undefined ? null : forgetFailures,
      }),
    );
    if (everySeconds !== undefined) this.scheduleEvery(name, everySeconds);
  }

  async enqueue(name: string, data: object, options: JobOptions = {}): Promise<void> {
    await this.send(await this.queue(name), name, data, sendOptions(options));
    this.workers.get(name)?.wake();
  }

  async openQueues(...names: string[]): Promise<EnqueueIn> {
    const bosses = new Map<string, PgBoss>();
    for (const name of names) bosses.set(name, await this.queue(name));
    return async (transaction, name, data, options = {}) => {
      const boss = bosses.get(name);
      if (!boss) throw new Error(`the queue ${name} is not open`);
      const db = { executeSql: transaction.execute };
      await this.send(boss, name, data, { ...sendOptions(options), db });
      transaction.onCommit(() => this.workers.get(name)?.wake());
    };
  }

  async counts(): Promise<JobCounts[]> {
    return this.track(countJobs(this.parts.store.query));
  }

  async failed(ids: readonly number[], range: FailedJobRange): Promise<FailedJob[]> {
    await this.boss();
    return this.track(readFailedJobs(this.parts.store.query, ids, range));
  }

  async retry(applicationId: number, id: string): Promise<string | null> {
    const boss = await this.boss();
    return this.track(
      this.parts.store.transaction(async (transaction) => {
        const { query, execute } = transaction;
        const name = await lockFailedJob(query, applicationId, id);
        if (name === null) return null;
        await boss.retry(name, id, { db: { executeSql: execute } });
        await clearCompletion(query, name, id);
        transaction.onCommit(() => this.workers.get(name)?.wake());
        return name;
      }),
    );
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all([...this.workers.values()].map((worker) => worker.stop()));
    await this.polling;
    // Only now: running jobs enqueue others when they record what they have done.
    this.closed = true;
    const boss = await this.started?.catch(() => null);
    await boss?.stop({ graceful: false });
    await Promise.allSettled([...this.statements]);
  }

  private every(ms: number, act: () => void): void {
    this.timers.push(setInterval(act, ms).unref());
  }

  /** Every node enqueues; the database accepts one job per period. */
  private scheduleEvery(name: string, everySeconds: number): void {
    const options = {
      expireInSeconds: Math.min(LEASE_SECONDS, Math.max(SHORT_LEASE_SECONDS, everySeconds)),
      retryLimit: 0,
      singletonSeconds: everySeconds,
    };
    this.every(everySeconds * 1000, () => {
      this.queue(name, SCHEDULED_POLICY)
        .then((boss) => boss.send(name, {}, options))
        .then(() => this.workers.get(name)?.wake())
        .catch((error: unknown) =>
          this.parts.log.warn({ err: error, job: name }, "a scheduled job could not be enqueued"),
        );
    });
  }

  private send(
    boss: PgBoss,
    name: string,
    data: object | readonly object[],
    { startAfter, ...options }: SendOptions,
  ): Promise<void> {
    return inSpan(`send ${name}`, "producer", jobAttributes(name, "send"), async () => {
      if (!Array.isArray(data)) {
        const id = await boss.send(name, withTrace(data), { ...options, startAfter });
        if (id === null) throw new Error(`the job ${name} could not be enqueued`);
      } else if (data.length > 0) {
        const { db, ...common } = { ...options, startAfter: `${startAfter}` };
        const jobs = data.map((item: object) => ({ name, data: withTrace(item), ...common }));
        await boss.insert(jobs, { db });
      }
    });
  }

  /** Starts the library. The next call retries a failure. */
  private async boss(): Promise<PgBoss> {
    if (this.closed) throw new Error("the job queue is closed");
    this.started ??= this.start().catch((error: unknown) => {
      this.started = null;
      throw error;
    });
    return this.started;
  }

  /** Starts the library and creates the queue of this name if needed. */
  private async queue(name: string, policy: PgBoss.QueuePolicy = "standard"): Promise<PgBoss> {
    const boss = await this.boss();
    const created =
      this.queues.get(name) ??
      this.createQueues([{ name, policy }]).catch((error: unknown) => {
        this.queues.delete(name);
        throw error;
      });
    this.queues.set(name, created);
    await created;
    return boss;
  }

  /**
   * Creates the queues that are missing, and the indexes of this service. One node at a time does: pg-boss creates a table
   * for each queue, and concurrent creation can deadlock.
   */
  private createQueues(queues: readonly Queue[]): Promise<void> {
    return this.track(
      this.parts.store.transaction(async ({ execute }) => {
        await execute(QUEUES_LOCK);
        await execute(CREATE_INDEXES);
        await execute(CREATE_QUEUES, [JSON.stringify(queues)]);
      }),
    );
  }

  /** Wakes the workers whose queues have jobs to run. */
  private async poll(): Promise<void> {
    try {
      await this.boss();
      if (this.closed) return;
      const due = await this.track(dueQueues(this.parts.store.query, [...this.workers.keys()]));
      for (const name of due) this.workers.get(name)?.wake();
    } catch (error) {
      if (!this.closed) this.parts.log.warn({ err: error }, "jobs could not be fetched");
    }
  }

  private async start(): Promise<PgBoss> {
    const { store, log, singleNode } = this.parts;
    const executeSql = (text: string, values?: unknown[]) =>
      this.track(store.execute(text, values));
    const boss = new PgBoss({
      db: { executeSql },
      schedule: false,
      maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
      ...RETENTION,
    });
    boss.on("error", (error) => log.warn({ err: error }, "maintenance of the job queue failed"));
    await boss.start();
    const queues = [...this.workers.values()].map(({ queue }) => queue);
    await this.createQueues(queues);
    for (const { name } of queues) this.queues.set(name, Promise.resolve());
    if (singleNode) await executeSql(RELEASE_ACTIVE);
    return boss;
  }

  private track<T>(statement: Promise<T>): Promise<T> {
    const end = () => this.statements.delete(statement);
    this.statements.add(statement);
    statement.then(end, end);
    return statement;
  }
}

/** Options of pg-boss, and the transaction to enqueue in. */
type SendOptions = ReturnType<typeof sendOptions> & { db?: PgBoss.Db };

function sendOptions({ afterSeconds = 0, retries, leaseSeconds }: JobOptions) {
  return {
    startAfter: Math.ceil(afterSeconds),
    expireInSeconds: leaseSeconds ?? LEASE_SECONDS,
    retryLimit: retries ?? RETRIES,
    retryDelay: 5,
    retryBackoff: true,
  };
}
