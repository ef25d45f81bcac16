import type { Transaction } from "../store/store";
import type { FailedJob, FailedJobRange, JobCounts } from "./job-queries";

/** How long a failed job is kept, in days. */
export const FAILED_DAYS = 3;

/** One run of a job. */
export interface JobRun {
  /** Whether an earlier run of the job has begun, which threw or was lost with its process. */
  repeated: boolean;
}

/** Runs a job. It is called again after it throws and may run twice for one job, so it must be idempotent. */
export type JobHandler<Data extends object> = (data: Data, run: JobRun) => Promise<void>;

/** How this node runs the jobs of a name. */
export interface WorkOptions<Data extends object = object> {
  /** Maximum number of concurrent jobs; one by default. */
  concurrency?: number;
  /**
   * Schedules the job with this period, in seconds of the database clock. One node runs it, at most once per
   * period. A failure is logged, and the next period runs the job again. If a node dies mid-run, the job
   * stays locked for one minute (up to five minutes for longer periods). Only the latest failure is kept, and
   * the next success removes it.
   */
  everySeconds?: number;
  /**
   * Finds the application that a failed job belongs to; null if it is gone. Its owners see the job and may retry it.
   * Without it a failed job is only counted.
   */
  applicationOf?(data: Data): Promise<number | null>;
}

/** Options of an enqueued job. */
export interface JobOptions {
  /** Delay before the job starts, in seconds; none by default. */
  afterSeconds?: number;
  /** Maximum number of retries after a failure; five by default. */
  retries?: number;
  /** Time after which a running job counts as lost with its process, in seconds; five minutes by default. */
  leaseSeconds?: number;
}

/**
 * Enqueues a job in a transaction, or one job for each item of an array in a single insert. The jobs become visible
 * when the transaction is committed.
 */
export type EnqueueIn = (
  transaction: Transaction,
  name: string,
  data: object | readonly object[],
  options?: JobOptions,
) => Promise<void>;

/**
 * A durable job queue in the database. Each job runs at least once, on one node at a time. If a node dies
 * mid-run, the job runs again: at the next start if there is a single node, otherwise after its lease has
 * expired.
 */
export interface Jobs {
  /**
   * Registers the handler of the jobs of a name. A failed job is retried after 5 s, 10 s, 20 s and so on,
   * with jitter; after its last retry it is kept for {@link FAILED_DAYS} days, and can be retried until then.
   */
  work<Data extends object>(
    name: string,
    handler: JobHandler<Data>,
    options?: WorkOptions<Data>,
  ): void;

  /**
   * Enqueues a job. If this node has a handler for it, it looks for jobs at once; other nodes poll. The data
   * is stored as JSON.
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  enqueue(name: string, data: object, options?: JobOptions): Promise<void>;

  /**
   * Creates the queues of these names if they are missing, so that a transaction can enqueue jobs of them. Called
   * before the transaction: the embedded database has one connection.
   * @returns enqueues jobs of these names
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  openQueues(...names: string[]): Promise<EnqueueIn>;

  /** Stops taking jobs and waits for running jobs. */
  close(): Promise<void>;
}

/** What operators and owners see of the job queue. */
export interface JobMonitor {
  /** Counts the jobs of each queue. @throws Fault UNAVAILABLE if the database cannot be reached */
  counts(): Promise<JobCounts[]>;

  /** Reads failed jobs of applications. @throws Fault UNAVAILABLE if the database cannot be reached */
  failed(applicationIds: readonly number[], range: FailedJobRange): Promise<FailedJob[]>;

  /**
   * Runs a failed job of an application once more, on any node.
   * @returns the name of its queue, or null if the application has no such job
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  retry(applicationId: number, id: string): Promise<string | null>;
}
