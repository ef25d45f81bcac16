import type { Transaction } from "../store/store";

/** What does a job; it is called again after it throws, and may be called twice for one job. */
export type JobHandler<Data extends object> = (data: Data) => Promise<void>;

/** How the jobs of a name are done on this node. */
export interface WorkOptions {
  /** Jobs under way at once; one by default. */
  concurrency?: number;
  /**
   * Asks for the job by itself, every so many seconds (of the database's time, at most once in each
   * period), on one node of all. What throws is logged, and done again in the next period. A node that
   * dies in the middle of one keeps the others from it for a minute, of seldom ones for five.
   */
  everySeconds?: number;
}

/** How a job is put on the list. */
export interface JobOptions {
  /** Seconds before it is begun; at once by default. */
  afterSeconds?: number;
  /** How often it is tried again after it threw; five times by default. */
  retries?: number;
  /** Seconds after which it is held to be lost with its process; five minutes by default. */
  leaseSeconds?: number;
}

/** Puts a job on the list; of a list of data one job each, at the cost of one. */
export type Enqueue = (
  name: string,
  data: object | readonly object[],
  options?: JobOptions,
) => Promise<void>;

/**
 * Work that outlives the request and the process that asked for it: rows of the database, taken by one
 * node at a time. A job is done at least once; a node that dies in the middle of one leaves it to be
 * done again, so handlers bear a repetition: by the next process at its start where there is one node,
 * after the job's lease where there are several.
 */
export interface Jobs {
  /**
   * Does the jobs of a name. A job that throws is tried again, after 5 s, 10 s, 20 s and so on, with
   * chance added; when it has failed for good it is kept for a day.
   */
  work<Data extends object>(name: string, handler: JobHandler<Data>, options?: WorkOptions): void;

  /**
   * Puts a job on the list; a node that works on its name does it, this one at once. The data are kept
   * as JSON, in the database alone.
   * @throws Fault UNAVAILABLE when the database cannot be reached
   */
  enqueue: Enqueue;

  /**
   * Runs statements and puts jobs of the names on the list, all or nothing (see `transaction` of the
   * store); the jobs can be begun once it is committed.
   * @throws Fault UNAVAILABLE when the database cannot be reached, and whatever `act` throws
   */
  transaction<T>(
    names: readonly string[],
    act: (transaction: Transaction, enqueue: Enqueue) => Promise<T>,
  ): Promise<T>;

  /** Takes no more jobs and waits for those under way. */
  close(): Promise<void>;
}
