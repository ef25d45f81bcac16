import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock";
import {
  type AttemptCounters,
  FAILURES_TTL_MS,
  type FailureCounter,
  FIRST_WAIT_MS,
  KNOWN_ADDRESS_TTL_MS,
  type Limiter,
  type RateLimit,
  type WindowState,
  waitAfter,
} from "./limiter";

/** Maximum number of windows, and of failure counters; the least recently used are evicted. */
const KEYS_MAX = 50_000;

interface Window {
  count: number;
  endsAt: number;
}

interface Failures {
  count: number;
  waitUntil: number;
  /** Whether the correct secret was seen. */
  known: boolean;
  forgetAt: number;
}

/**
 * A limiter in the memory of this node. Written by hand, since the in-memory limiters of
 * rate-limiter-flexible keep every key with a timer and accept no clock.
 */
export class LocalLimiter implements Limiter {
  private readonly windows = new LRUCache<string, Window>({ max: KEYS_MAX });
  private readonly failures = new LRUCache<string, Failures>({ max: KEYS_MAX });

  /** @param firstWaitMs the first wait after failures, in milliseconds */
  constructor(
    private readonly clock: Clock,
    readonly firstWaitMs = FIRST_WAIT_MS,
  ) {}

  /**
   * {@link Limiter.take} without a promise, since every request is counted.
   * @param points weight of the request; a request that exceeds the limit consumes nothing
   */
  takeNow(rateLimit: RateLimit, key: string, points = 1): number {
    return this.count(rateLimit, windowKey(rateLimit, key), points);
  }

  /** {@link takeNow} bound to one key, for callers that count often. */
  counter(rateLimit: RateLimit, key: string): () => number {
    const id = windowKey(rateLimit, key);
    return () => this.count(rateLimit, id, 1);
  }

  /** Counts work that is already done, even beyond the limit. */
  addNow(rateLimit: RateLimit, key: string, points: number): void {
    const now = this.clock.now();
    this.windowAt(rateLimit, windowKey(rateLimit, key), now).count += points;
  }

  private count(rateLimit: RateLimit, id: string, points: number): number {
    const now = this.clock.now();
    const window = this.windowAt(rateLimit, id, now);
    if (window.count + points > rateLimit.limit) return window.endsAt - now;
    window.count += points;
    return 0;
  }

  private windowAt({ seconds }: RateLimit, id: string, now: number): Window {
    const found = this.windows.get(id);
    if (found !== undefined && found.endsAt > now) return found;
    const window = { count: 0, endsAt: now + seconds * 1000 };
    this.windows.set(id, window);
    return window;
  }

  async add(rateLimit: RateLimit, key: string, count: number): Promise<WindowState> {
    const now = this.clock.now();
    const id = windowKey(rateLimit, key);
    const known = this.windows.get(id);
    const window =
      known && known.endsAt > now ? known : { count: 0, endsAt: now + rateLimit.seconds * 1000 };
    window.count += count;
    this.windows.set(id, window);
    return { count: window.count, endsInMs: window.endsAt - now };
  }

  async take(rateLimit: RateLimit, key: string, points = 1): Promise<number> {
    return this.takeNow(rateLimit, key, points);
  }

  async waitBefore(attempt: AttemptCounters): Promise<number> {
    return this.waitAt(attempt, this.clock.now());
  }

  async reserve(attempt: AttemptCounters): Promise<number> {
    const now = this.clock.now();
    const wait = this.waitAt(attempt, now);
    if (wait > 0) return wait;
    for (const counter of countersOf(attempt)) {
      if (counter.allowed === 0) continue;
      const found = this.find(counter, now);
      const count = (found?.count ?? 0) + 1;
      this.failures.set(counter.key, {
        count,
        waitUntil: now + waitAfter(count, counter, this.firstWaitMs),
        known: found?.known ?? false,
        forgetAt: Math.max(found?.forgetAt ?? 0, now + FAILURES_TTL_MS),
      });
    }
    return 0;
  }

  async commit(
    { pair, name, address }: AttemptCounters,
    outcome: "correct" | "unchecked",
  ): Promise<void> {
    const now = this.clock.now();
    if (outcome === "unchecked") for (const counter of [pair, name]) this.undo(counter, now);
    else {
      this.failures.delete(name.key);
      if (pair.allowed > 0) {
        const forgetAt = now + KNOWN_ADDRESS_TTL_MS;
        this.failures.set(pair.key, { count: 0, waitUntil: 0, known: true, forgetAt });
      }
    }
    this.undo(address, now);
  }

  private waitAt(attempt: AttemptCounters, now: number): number {
    const known = this.find(attempt.pair, now)?.known ?? false;
    const binding = known ? [attempt.pair, attempt.address] : countersOf(attempt);
    const waits = binding.map((counter) => (this.find(counter, now)?.waitUntil ?? 0) - now);
    return Math.max(0, ...waits);
  }

  private undo(counter: FailureCounter, now: number): void {
    const found = this.find(counter, now);
    if (!found) return;
    found.count = Math.max(0, found.count - 1);
    found.waitUntil = 0;
  }

  private find({ key, allowed }: FailureCounter, now: number): Failures | undefined {
    const found = allowed === 0 ? undefined : this.failures.get(key);
    return found && found.forgetAt > now ? found : undefined;
  }
}

const windowKey = ({ name }: RateLimit, key: string) => `${name} ${key}`;

/** The failure counters in the order in which the Redis scripts take them. */
export function countersOf({
  pair,
  name,
  address,
}: AttemptCounters): [FailureCounter, FailureCounter, FailureCounter] {
  return [pair, name, address];
}
