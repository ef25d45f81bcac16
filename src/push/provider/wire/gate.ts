import type { Clock } from "../../../core/clock";
import { Unanswered } from "../../../network/answer";

/** How many times as long as it may take itself a push waits for its turn. */
export const WAITS = 3;

/** Lets so many through at once; whoever comes beyond waits for a turn, first come first. */
export class Gate {
  private under = 0;
  private readonly waiting: Array<() => void> = [];
  private readonly watching: Array<() => void> = [];

  /**
   * @param max how many may be through at once
   * @param waitMs milliseconds after which a turn is no longer taken. A service that answers nobody
   * would otherwise hold a batch for many times as long as one push may take
   */
  constructor(
    private max: number,
    private readonly clock: Clock,
    private readonly waitMs: number,
  ) {}

  /** Runs when there is room. @throws Unanswered when there was none for too long */
  async pass<T>(run: () => Promise<T>): Promise<T> {
    if (this.under < this.max) this.under++;
    else await this.wait();
    try {
      return await run();
    } finally {
      this.leave();
    }
  }

  /** Resolves when nobody is through or waiting. */
  async emptied(): Promise<void> {
    if (this.under > 0) await new Promise<void>((resolve) => this.watching.push(resolve));
  }

  /** Changes how many may be through at once; those who are stay. */
  resize(max: number): void {
    this.max = Math.max(1, max);
    this.admit();
  }

  private async wait(): Promise<void> {
    const since = this.clock.now();
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.clock.now() - since <= this.waitMs) return;
    this.leave();
    throw new Unanswered("too many were under way");
  }

  private leave(): void {
    this.under--;
    this.admit();
  }

  private admit(): void {
    while (this.under < this.max) {
      const next = this.waiting.shift();
      if (!next) break;
      // Taken here, so that nobody who comes before the promise resolves takes the place.
      this.under++;
      next();
    }
    if (this.under === 0) for (const done of this.watching.splice(0)) done();
  }
}
