import type { Transaction } from "../store/store";

/** Runs a job. It is called again after it throws and may run twice for one job, so it must be idempotent. */
export type JobHandler<Data extends object> = (data: Data) => Promise<void>;

/** How this node runs the jobs of a name. */
export interface WorkOptions {
  /** Maximum number of concurrent jobs; one by default. */
  concurrency?: number;
  /**
   * Schedules the job with this period, in seconds of the database clock. One node runs it, at most once per
   * period. A failure is logged, and the next period runs the job again. If a node dies mid-run, the job
   * stays locked for one minute (up to five minutes for longer periods).
   */
  everySeconds?: number;
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
   * with jitter; after its last retry it is kept for a day.
   */
  work<Data extends object>(name: string, handler: JobHandler<Data>, options?: WorkOptions): void;

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
