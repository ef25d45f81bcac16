import type { Clock } from "../core/clock";

/** Bounds of a queue. */
export interface FairQueueLimits {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs that wait at most. */
  waiting: number;
  /** Milliseconds that a job waits at most. */
  waitMs: number;
}

interface Job {
  keys: readonly string[];
  /** When its turn comes: the lower the sooner, and of equals the first that came. */
  turn: number;
  queuedAt: number;
  start: () => void;
  refuse: () => void;
}

/**
 * Runs jobs a few at a time, and lets whoever they are for take turns: one who asks for much waits behind
 * those who ask for little (start-time fair queueing). A job may be for several, such as an address and a
 * name, and comes when all of them have had their turn.
 */
export class FairQueue {
  /** In the order of their turns. */
  #waiting: Job[] = [];
  #running = 0;
  /** Turn of the job that was started last. */
  #turn = 0;

  /** @param refusal makes what a job is refused with */
  constructor(
    private readonly limits: FairQueueLimits,
    private readonly clock: Clock,
    private readonly refusal: () => Error,
  ) {}

  /**
   * Runs a job when its turn comes.
   * @param keys whom it is for
   * @throws Error the refusal, where it would wait too long or too many wait; what the job throws
   */
  async run<T>(keys: readonly string[], job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.limits.concurrency) await this.#wait(keys);
    else this.#running += 1;
    try {
      return await job();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #wait(keys: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = this.#turnOf(keys);
      const later = this.#waiting.findIndex((other) => other.turn > turn);
      this.#waiting.splice(later === -1 ? this.#waiting.length : later, 0, {
        ...{ keys, turn, start: resolve, refuse: () => reject(this.refusal()) },
        queuedAt: this.clock.now(),
      });
      // Whoever has the most waiting loses the last of it, not the one who came last.
      if (this.#waiting.length > this.limits.waiting) this.#waiting.pop()?.refuse();
    });
  }

  #turnOf(keys: readonly string[]): number {
    let turn = this.#turn;
    for (const other of this.#waiting) {
      if (other.turn >= turn && other.keys.some((key) => keys.includes(key))) turn = other.turn + 1;
    }
    return turn;
  }

  #next(): void {
    const latest = this.clock.now() - this.limits.waitMs;
    const late = this.#waiting.filter(({ queuedAt }) => queuedAt < latest);
    if (late.length > 0) {
      this.#waiting = this.#waiting.filter(({ queuedAt }) => queuedAt >= latest);
      for (const job of late) job.refuse();
    }
    const job = this.#waiting.shift();
    if (!job) return;
    this.#turn = job.turn;
    this.#running += 1;
    job.start();
  }
}
