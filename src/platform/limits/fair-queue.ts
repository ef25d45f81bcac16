import type { Clock } from "../../core/clock";

/** Limits of a queue. */
export interface FairQueueLimits {
  /** Maximum number of concurrent jobs. */
  concurrency: number;
  /** Maximum number of waiting jobs. */
  maxWaiting: number;
  /** Maximum wait of a job, in milliseconds. */
  waitMs: number;
}

interface Job {
  keys: readonly string[];
  /** Virtual start time: jobs run in this order, first come first served among equals. */
  turn: number;
  queuedAt: number;
  start: () => void;
  refuse: () => void;
}

/**
 * Runs jobs with bounded concurrency and start-time fair queueing: a client with many jobs waits behind
 * clients with few. A job may have several keys, such as an address and a name; the most loaded of them
 * decides.
 */
export class FairQueue {
  /** Ordered by `turn`. */
  private waiting: Job[] = [];
  private running = 0;
  /** `turn` of the job that was started last. */
  private turn = 0;

  /** @param refusal makes the error of a rejected job */
  constructor(
    private readonly limits: FairQueueLimits,
    private readonly clock: Clock,
    private readonly refusal: () => Error,
  ) {}

  /**
   * Runs a job when its turn comes.
   * @param keys the clients that the job is for
   * @throws the error of `refusal` if the job waits too long or the queue is full, and any error of the job
   */
  async run<T>(keys: readonly string[], job: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.concurrency) await this.wait(keys);
    else this.running += 1;
    try {
      return await job();
    } finally {
      this.running -= 1;
      this.next();
    }
  }

  private wait(keys: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = this.turnOf(keys);
      const position = this.waiting.findIndex((other) => other.turn > turn);
      this.waiting.splice(position === -1 ? this.waiting.length : position, 0, {
        keys,
        turn,
        start: resolve,
        refuse: () => reject(this.refusal()),
        queuedAt: this.clock.now(),
      });
      // Drops the last job of the most loaded client, not the job that arrived last.
      if (this.waiting.length > this.limits.maxWaiting) this.waiting.pop()?.refuse();
    });
  }

  private turnOf(keys: readonly string[]): number {
    let turn = this.turn;
    for (const other of this.waiting) {
      if (other.turn >= turn && other.keys.some((key) => keys.includes(key))) turn = other.turn + 1;
    }
    return turn;
  }

  private next(): void {
    const deadline = this.clock.now() - this.limits.waitMs;
    const expired = this.waiting.filter(({ queuedAt }) => queuedAt < deadline);
    if (expired.length > 0) {
      this.waiting = this.waiting.filter(({ queuedAt }) => queuedAt >= deadline);
      for (const job of expired) job.refuse();
    }
    const job = this.waiting.shift();
    if (!job) return;
    this.turn = job.turn;
    this.running += 1;
    job.start();
  }
}
