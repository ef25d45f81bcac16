import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock";
import {
  type Added,
  type Attempt,
  type Budget,
  FAILURES_MS,
  KNOWN_MS,
  type Limiter,
  type Track,
  waitAfter,
} from "./limiter";

/** Windows, and tracks of failures, that are kept at most; the longest unused go first. */
const REMEMBERED = 50_000;

interface Window {
  count: number;
  endsAt: number;
}

interface Failures {
  count: number;
  waitUntil: number;
  /** Whether the right secret came this way. */
  known: boolean;
  forgetAt: number;
}

/**
 * Counts in the memory of this node. Written out, since the in-memory limiters of
 * rate-limiter-flexible keep every key and a timer for it, and take no clock.
 */
export class LocalLimiter implements Limiter {
  private readonly windows = new LRUCache<string, Window>({ max: REMEMBERED });
  private readonly failures = new LRUCache<string, Failures>({ max: REMEMBERED });

  constructor(private readonly clock: Clock) {}

  /** As {@link Limiter.take}, without a promise: every request passes here. */
  takeNow(budget: Budget, key: string): number {
    return this.count(budget, placeOf(budget, key));
  }

  /** {@link takeNow} of one key, worked out once: for whoever is counted again and again. */
  counter(budget: Budget, key: string): () => number {
    const place = placeOf(budget, key);
    return () => this.count(budget, place);
  }

  private count({ limit, seconds }: Budget, place: string): number {
    const now = this.clock.now();
    const window = this.windows.get(place);
    if (window === undefined || window.endsAt <= now) {
      this.windows.set(place, { count: 1, endsAt: now + seconds * 1000 });
      return 0;
    }
    window.count += 1;
    return window.count > limit ? window.endsAt - now : 0;
  }

  async add(budget: Budget, key: string, count: number): Promise<Added> {
    const now = this.clock.now();
    const place = placeOf(budget, key);
    const known = this.windows.get(place);
    const window =
      known && known.endsAt > now ? known : { count: 0, endsAt: now + budget.seconds * 1000 };
    window.count += count;
    this.windows.set(place, window);
    return { count: window.count, endsInMs: window.endsAt - now };
  }

  async take(budget: Budget, key: string): Promise<number> {
    return this.takeNow(budget, key);
  }

  async begin(attempt: Attempt): Promise<number> {
    const now = this.clock.now();
    const tracks = tracksOf(attempt);
    const known = this.find(attempt.pair, now)?.known ?? false;
    const binding = known ? [attempt.pair, attempt.address] : tracks;
    const waits = binding.map((track) => (this.find(track, now)?.waitUntil ?? 0) - now);
    const wait = Math.max(0, ...waits);
    if (wait > 0) return wait;
    for (const track of tracks) {
      if (track.free === 0) continue;
      const found = this.find(track, now);
      const count = (found?.count ?? 0) + 1;
      this.failures.set(track.key, {
        count,
        waitUntil: now + waitAfter(count, track),
        known: found?.known ?? false,
        forgetAt: Math.max(found?.forgetAt ?? 0, now + FAILURES_MS),
      });
    }
    return 0;
  }

  async settle({ pair, name, address }: Attempt, outcome: "right" | "void"): Promise<void> {
    const now = this.clock.now();
    if (outcome === "void") for (const track of [pair, name]) this.takeBack(track, now);
    else {
      this.failures.delete(name.key);
      if (pair.free > 0) {
        const forgetAt = now + KNOWN_MS;
        this.failures.set(pair.key, { count: 0, waitUntil: 0, known: true, forgetAt });
      }
    }
    this.takeBack(address, now);
  }

  private takeBack(track: Track, now: number): void {
    const found = this.find(track, now);
    if (!found) return;
    found.count = Math.max(0, found.count - 1);
    found.waitUntil = 0;
  }

  private find({ key, free }: Track, now: number): Failures | undefined {
    const found = free === 0 ? undefined : this.failures.get(key);
    return found && found.forgetAt > now ? found : undefined;
  }
}

const placeOf = ({ name }: Budget, key: string) => `${name} ${key}`;

/** The tracks in the order of their places in the scripts of Redis. */
export function tracksOf({ pair, name, address }: Attempt): [Track, Track, Track] {
  return [pair, name, address];
}
