import type { Clock } from "../../../../core/clock";
import { NoResponse } from "../../../../platform/network/http-response";

/** Maximum wait for a turn, as a multiple of a push's timeout. */
export const WAIT_FACTOR = 3;

/** Limits concurrency. Further calls wait in FIFO order. */
export class Semaphore {
  private active = 0;
  private readonly queue: Array<() => void> = [];
  private readonly idleWaiters: Array<() => void> = [];

  /**
   * @param max maximum concurrency
   * @param waitMs maximum wait in milliseconds. Without it, an unresponsive service would delay a batch by
   * many times the timeout of a push
   */
  constructor(
    private max: number,
    private readonly clock: Clock,
    private readonly waitMs: number,
  ) {}

  /** Runs an action once a slot is free. @throws NoResponse if none becomes free in time */
  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.active < this.max) this.active++;
    else await this.wait();
    try {
      return await action();
    } finally {
      this.release();
    }
  }

  /** Resolves when no action is running or waiting. */
  async whenIdle(): Promise<void> {
    if (this.active > 0) await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  /** Takes what runs now, without one action that was refused, as the maximum concurrency. */
  shrink(): void {
    this.max = Math.max(1, Math.min(this.max, this.active - 1));
  }

  /** Changes the maximum concurrency. Running actions continue. */
  resize(max: number): void {
    this.max = Math.max(1, max);
    this.dequeue();
  }

  private async wait(): Promise<void> {
    const since = this.clock.now();
    await new Promise<void>((resolve) => this.queue.push(resolve));
    if (this.clock.now() - since <= this.waitMs) return;
    this.release();
    throw new NoResponse("too many requests in flight");
  }

  private release(): void {
    this.active--;
    this.dequeue();
  }

  private dequeue(): void {
    while (this.active < this.max) {
      const next = this.queue.shift();
      if (!next) break;
      // Reserves the slot now, before the promise resolves and another call could take it.
      this.active++;
      next();
    }
    if (this.active === 0) for (const done of this.idleWaiters.splice(0)) done();
  }
}
