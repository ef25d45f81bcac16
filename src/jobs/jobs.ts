/** What does a job; it is called again after it throws, and may be called twice for one job. */
export type JobHandler<Data extends object> = (data: Data) => Promise<void>;

/**
 * Work that outlives the request and the process that asked for it: rows of the database, taken by one
 * node at a time. A job is done at least once; a node that dies in the middle of one leaves it to be
 * done again, so handlers bear a repetition. One that takes longer than five minutes is held to be lost.
 */
export interface Jobs {
  /**
   * Does the jobs of a name, one after another. A job that throws is tried again five times, after
   * 5 s, 10 s, 20 s and so on, with chance added; then it is kept as failed for a day.
   */
  work<Data extends object>(name: string, handler: JobHandler<Data>): void;

  /**
   * Puts a job on the list; a node that works on its name does it, this one at once. The data are kept
   * as JSON, in the database alone.
   * @throws Fault UNAVAILABLE when the database cannot be reached
   */
  enqueue(name: string, data: object): Promise<void>;

  /**
   * Does something every so many seconds (of the database's time, at most once in each period), on
   * one node of all. What throws is logged, and done again in the next period.
   */
  schedule(name: string, everySeconds: number, handler: () => Promise<void>): void;

  /** Takes no more jobs and waits for those under way. */
  close(): Promise<void>;
}
