import { monotonicNow } from "../../core/clock";

/** Limits a rate, with bursts. */
export class TokenBucket {
  private readonly size: number;
  private tokens: number;
  private filledAt: number;

  /**
   * @param perSecond the rate
   * @param burstSeconds size of the bucket, in seconds of the rate
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly perSecond: number,
    burstSeconds: number,
    private readonly now: () => number = monotonicNow,
  ) {
    this.size = perSecond * burstSeconds;
    this.tokens = this.size;
    this.filledAt = now();
  }

  /** Takes tokens; returns false, and takes none, if there are not enough. */
  take(count = 1): boolean {
    const now = this.now();
    this.add(((now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }

  /** Adds tokens beside those of the rate, up to the size of the bucket. */
  add(count: number): void {
    this.tokens = Math.min(this.tokens + count, this.size);
  }
}
