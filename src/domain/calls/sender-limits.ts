import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import { Fault } from "../../core/errors";
import type { Limiter, RateLimit } from "../../platform/limits/limiter";
import type { Party } from "./signals/signal";

/** Maximum number of senders that are tracked; the least recently used are evicted. */
const SENDERS_MAX = 50_000;
/** A node reports a sender's count each time this fraction (1/20) of the limit was used through it. */
const REPORTS_PER_LIMIT = 20;
/** Usage of all inboxes together, from 0 to 1, above which senders are throttled. */
const THROTTLE_USAGE = 0.5;
/** Fraction of the byte limit that applies while senders are throttled. */
const THROTTLE_FRACTION = 1 / 8;
/** How long a reported usage remains valid, in milliseconds. */
const USAGE_TTL_MS = 5_000;

/** What one sender used within a time window. */
interface Window {
  /** Through all nodes, as far as reported. */
  global: number;
  /** Through this node, not yet reported. */
  local: number;
  endsAt: number;
}

/**
 * A rate limit for all nodes together, without a round trip per request. A node counts locally and reports
 * its count in fractions of the limit, so each node may exceed the limit by 1/{@link REPORTS_PER_LIMIT}.
 * While reports fail, a node relies on its own count.
 */
class DistributedRateLimit {
  private readonly windows = new LRUCache<string, Window>({ max: SENDERS_MAX });

  constructor(
    private readonly rateLimit: RateLimit,
    private readonly limiter: Pick<Limiter, "add">,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts usage unless it exceeds the limit.
   * @param fraction the fraction of the limit that applies
   * @returns the wait in milliseconds, 0 if the usage is allowed
   */
  take(key: string, count: number, fraction = 1): number {
    const { limit, seconds } = this.rateLimit;
    if (limit === 0) return 0;
    const now = this.clock.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { global: 0, local: 0, endsAt: now + seconds * 1000 };
      this.windows.set(key, window);
    }
    if (window.global + window.local + count > limit * fraction) return window.endsAt - now;
    window.local += count;
    if (window.local >= limit / REPORTS_PER_LIMIT) void this.report(key, window);
    return 0;
  }

  private async report(key: string, window: Window): Promise<void> {
    const { local } = window;
    window.local = 0;
    window.global += local;
    const added = await this.limiter.add(this.rateLimit, key, local);
    if (!added) return;
    window.global = added.count;
    window.endsAt = this.clock.now() + added.endsInMs;
  }
}

/** Limits how much a user may send, over all protocols and nodes (docs/LIMITS.md). */
export class SenderLimits {
  private readonly messages: DistributedRateLimit;
  private readonly bytes: DistributedRateLimit;
  private throttledUntil = 0;

  constructor(
    config: Pick<Config, "RATE_MESSAGES_PER_USER" | "RATE_MESSAGE_BYTES_PER_USER">,
    limiter: Pick<Limiter, "add">,
    private readonly clock: Clock,
  ) {
    const perMinute = (name: string, limit: number) =>
      new DistributedRateLimit({ name, limit, seconds: 60 }, limiter, clock);
    this.messages = perMinute("message-user", config.RATE_MESSAGES_PER_USER);
    this.bytes = perMinute("message-bytes-user", config.RATE_MESSAGE_BYTES_PER_USER);
  }

  /** Counts a signal or another stanza of a user. @throws Fault LIMITED with the seconds to wait */
  take({ userId }: Party, bytes: number): void {
    const key = String(userId);
    const fraction = this.clock.now() < this.throttledUntil ? THROTTLE_FRACTION : 1;
    const wait = this.messages.take(key, 1) || this.bytes.take(key, bytes, fraction);
    if (wait === 0) return;
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    const message = `Too many requests; try again in ${seconds} s`;
    throw new Fault("LIMITED", message, undefined, seconds);
  }

  /**
   * Records how full all inboxes are together, from 0 to 1; above a threshold the heaviest senders are
   * throttled.
   */
  noteUsage(usage: number): void {
    this.throttledUntil = usage > THROTTLE_USAGE ? this.clock.now() + USAGE_TTL_MS : 0;
  }
}
