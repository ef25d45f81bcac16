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

  /**
   * As {@link Limiter.take}, without a promise: every request passes here.
   * @param points how often it counts; what does not fit is refused as a whole and uses up nothing
   */
  takeNow(budget: Budget, key: string, points = 1): number {
    return this.count(budget, placeOf(budget, key), points);
  }

  /** {@link takeNow} of one key, worked out once: for whoever is counted again and again. */
  counter(budget: Budget, key: string): () => number {
    const place = placeOf(budget, key);
    return () => this.count(budget, place, 1);
  }

  /** Counts what has been done already, whether it fits or not. */
  addNow(budget: Budget, key: string, points: number): void {
    const now = this.clock.now();
    this.windowAt(budget, placeOf(budget, key), now).count += points;
  }

  private count(budget: Budget, place: string, points: number): number {
    const now = this.clock.now();
    const window = this.windowAt(budget, place, now);
    if (window.count + points > budget.limit) return window.endsAt - now;
    window.count += points;
    return 0;
  }

  private windowAt({ seconds }: Budget, place: string, now: number): Window {
    const found = this.windows.get(place);
    if (found !== undefined && found.endsAt > now) return found;
    const window = { count: 0, endsAt: now + seconds * 1000 };
    this.windows.set(place, window);
    return window;
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
