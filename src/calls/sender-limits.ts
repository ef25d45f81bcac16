import { LRUCache } from "lru-cache";
import type { Budget, Limiter } from "../bus/limiter";
import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import { Fault } from "../core/errors";
import type { Party } from "./signal";

/** Senders that are remembered at most; the longest unused go first. */
const REMEMBERED = 50_000;
/** A node tells the others each time a sender has used up one of so many parts of a limit through it. */
const PARTS = 20;
/** How full all inboxes may be together before those who send most are held back. */
const CROWDED = 0.5;
/** What part of the bytes a user may send while inboxes are crowded. */
const CROWDED_PART = 1 / 8;
/** Milliseconds that a node goes by what it was last told of all inboxes. */
const FULLNESS_MS = 5_000;

/** What one sender used up within a window of time. */
interface Window {
  /** Through all nodes, as far as they have told. */
  known: number;
  /** Through this node, which it has not told yet. */
  own: number;
  endsAt: number;
}

/**
 * Counts against a budget for all nodes together, without asking for each time: a node counts by itself, and
 * tells what it counted in parts of the limit. So each node may let through a {@link PARTS}th of the limit too
 * much. While the others cannot be told it goes by its own count.
 */
class Counted {
  private readonly windows = new LRUCache<string, Window>({ max: REMEMBERED });

  constructor(
    private readonly budget: Budget,
    private readonly limiter: Pick<Limiter, "add">,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts so many, unless they are too many.
   * @param part of the limit that holds at present
   * @returns milliseconds to stay away, 0 when they are within
   */
  take(key: string, count: number, part = 1): number {
    const { limit, seconds } = this.budget;
    if (limit === 0) return 0;
    const now = this.clock.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { known: 0, own: 0, endsAt: now + seconds * 1000 };
      this.windows.set(key, window);
    }
    if (window.known + window.own + count > limit * part) return window.endsAt - now;
    window.own += count;
    if (window.own >= limit / PARTS) void this.tell(key, window);
    return 0;
  }

  private async tell(key: string, window: Window): Promise<void> {
    const { own } = window;
    window.own = 0;
    window.known += own;
    const added = await this.limiter.add(this.budget, key, own);
    if (!added) return;
    window.known = added.count;
    window.endsAt = this.clock.now() + added.endsInMs;
  }
}

/** How much a user may send, over whatever protocol and through whichever nodes (docs/LIMITS.md). */
export class SenderLimits {
  private readonly signals: Counted;
  private readonly bytes: Counted;
  private crowdedUntil = 0;

  constructor(
    config: Pick<Config, "RATE_MESSAGES_PER_USER" | "RATE_MESSAGE_BYTES_PER_USER">,
    limiter: Pick<Limiter, "add">,
    private readonly clock: Clock,
  ) {
    const counted = (name: string, limit: number) =>
      new Counted({ name, limit, seconds: 60 }, limiter, clock);
    this.signals = counted("message-user", config.RATE_MESSAGES_PER_USER);
    this.bytes = counted("message-bytes-user", config.RATE_MESSAGE_BYTES_PER_USER);
  }

  /** Counts a signal or another stanza of a user. @throws Fault LIMITED with the seconds to wait */
  take({ userId }: Party, bytes: number): void {
    const key = String(userId);
    const part = this.clock.now() < this.crowdedUntil ? CROWDED_PART : 1;
    const wait = this.signals.take(key, 1) || this.bytes.take(key, bytes, part);
    if (wait === 0) return;
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    const message = `Too many requests; try again in ${seconds} s`;
    throw new Fault("LIMITED", message, undefined, seconds);
  }

  /** Notes how full all inboxes are together, from 0 to 1: whoever sends most is held back first. */
  note(fullness: number): void {
    this.crowdedUntil = fullness > CROWDED ? this.clock.now() + FULLNESS_MS : 0;
  }
}
