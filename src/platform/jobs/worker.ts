import type PgBoss from "pg-boss";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { failSpan, inConsumerSpan, outsideTrace } from "../../core/tracing";
import { jobAttributes, readTrace } from "./job-spans";
import type { JobHandler } from "./jobs";

/** A queue of pg-boss. */
export interface Queue {
  name: string;
  policy: PgBoss.QueuePolicy;
}

/** Options of {@link Worker}. */
export interface WorkerOptions extends Queue {
  handler: JobHandler<object>;
  /** Finds the application of a failed job. */
  applicationOf?(data: object): Promise<number | null>;
  /** Deletes the failed runs of a scheduled job except for one; null for other jobs. */
  forgetFailures: ((except: string) => Promise<void>) | null;
  /** Maximum number of concurrent jobs. */
  concurrency: number;
  log: Log;
  /** Counts the runs, where anybody reads the counts. */
  metrics: Pick<Metrics, "jobRuns"> | undefined;
  /** Resolves once the schema and the queue of this name exist. */
  openQueue: () => Promise<PgBoss>;
}

/** Maximum length of the reason of a failure that is stored. */
const REASON_MAX = 1_000;

/** What is stored of a failed attempt, as the output of the job. */
interface Failure extends Record<string, unknown> {
  reason: string;
  applicationId?: number;
}

/**
 * Runs the jobs of one name. The workers of pg-boss are not used: they do not await their writes, so an
 * unavailable database would crash the process.
 */
export class Worker {
  /** The poll in progress. */
  private polling: Promise<void> | null = null;
  /** Running jobs. */
  private readonly running = new Set<Promise<void>>();
  private pollAgain = false;
  private stopped = false;

  constructor(private readonly parts: WorkerOptions) {
    // An alert on jobs that never complete needs the series before the first one does.
    for (const outcome of ["completed", "failed"]) {
      parts.metrics?.jobRuns.inc({ queue: parts.name, outcome }, 0);
    }
  }

  /** The queue of these jobs. */
  get queue(): Queue {
    const { name, policy } = this.parts;
    return { name, policy };
  }

  /** Polls for jobs now, or once more after the poll in progress. */
  wake(): void {
    if (this.stopped) return;
    if (this.polling) {
      this.pollAgain = true;
      return;
    }
    if (this.running.size >= this.parts.concurrency) return;
    // It runs the jobs of others, also when a traced operation has enqueued one.
    this.polling = outsideTrace(() => this.poll()).then((more) => {
      this.polling = null;
      const pollNow = more || this.pollAgain;
      this.pollAgain = false;
      if (pollNow) this.wake();
    });
  }

  /** Stops taking jobs; resolves when running jobs have ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.polling;
    await Promise.all(this.running);
  }

  /** Starts as many jobs as concurrency allows. @returns whether there may be more */
  private async poll(): Promise<boolean> {
    const { name, log, openQueue, concurrency } = this.parts;
    try {
      const boss = await openQueue();
      if (this.stopped) return false;
      const batchSize = concurrency - this.running.size;
      const jobs = await boss.fetch<object>(name, { batchSize, includeMetadata: true });
      for (const job of jobs) {
        const run = this.runTraced(boss, job).finally(() => {
          this.running.delete(run);
          this.wake();
        });
        this.running.add(run);
      }
      return jobs.length === batchSize;
    } catch (error) {
      log.warn({ err: error, job: name }, "jobs could not be fetched");
      return false;
    }
  }

  /** Runs a job in the trace of what has enqueued it. */
  private runTraced(
    boss: PgBoss,
    { id, data, retryCount }: PgBoss.JobWithMetadata<object>,
  ): Promise<void> {
    const { name } = this.parts;
    const { trace, own } = readTrace(data);
    const attributes = jobAttributes(name, "process");
    return inConsumerSpan(`process ${name}`, attributes, trace, (span) =>
      this.run(boss, { id, data: own, retryCount }, (error) => failSpan(span, error)),
    );
  }

  /**
   * Runs a job and records the result; never throws.
   * @param onFailure called with the error of the handler
   */
  private async run(
    boss: PgBoss,
    job: Pick<PgBoss.JobWithMetadata<object>, "id" | "data" | "retryCount">,
    onFailure: (error: unknown) => void,
  ): Promise<void> {
    const { name, handler, log, metrics } = this.parts;
    try {
      let failure: Failure | null = null;
      try {
        await handler(job.data, { repeated: job.retryCount > 0 });
      } catch (error) {
        onFailure(error);
        log.error({ err: error, job: name, id: job.id }, "a job failed");
        failure = await this.failureOf(error, job.data);
      }
      if (failure) await boss.fail(name, job.id, failure);
      else await boss.complete(name, job.id);
      metrics?.jobRuns.inc({ queue: name, outcome: failure ? "failed" : "completed" });
      await this.parts.forgetFailures?.(job.id);
    } catch (error) {
      // The job runs again once its lease has expired.
      log.warn({ err: error, job: name }, "the result of a job could not be recorded");
    }
  }

  private async failureOf(error: unknown, data: object): Promise<Failure> {
    const text = error instanceof Error ? error.message : String(error);
    const failure = { reason: text.slice(0, REASON_MAX) };
    try {
      const applicationId = (await this.parts.applicationOf?.(data)) ?? null;
      return applicationId === null ? failure : { ...failure, applicationId };
    } catch {
      // The failure is then only counted.
      return failure;
    }
  }
}
