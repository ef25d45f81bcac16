import { monotonicNow } from "../../core/clock";

/** Limits a rate, with bursts. */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  /**
   * @param perSecond the rate
   * @param burstSeconds size of the bucket, in seconds of the rate
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly perSecond: number,
    private readonly burstSeconds: number,
    private readonly now: () => number = monotonicNow,
  ) {
    this.tokens = perSecond * burstSeconds;
    this.filledAt = now();
  }

  /** Takes tokens; returns false, and takes none, if there are not enough. */
  take(count = 1): boolean {
    const now = this.now();
    const filled = this.tokens + ((now - this.filledAt) / 1000) * this.perSecond;
    this.tokens = Math.min(filled, this.perSecond * this.burstSeconds);
    this.filledAt = now;
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }
}
