import { LRUCache } from "lru-cache";
import { Fault } from "../../core/errors";
import { deadlocked } from "../../store/conflicts";
import { type CallEvent, type SentSignal, toCallEvent } from "./call-event";
import { asOwnCall } from "./known-calls";
import type { Records } from "./records";
import { writeEvents } from "./write-calls";

/** Events that wait to be written at most, on one node; beyond, new ones are lost and counted. */
export const WAITING_MAX = 10_000;
/** Events that are looked for again at most; beyond, those that have waited longest are given up. */
export const LOOKS_MAX = 1_000;
/** Events that one transaction writes at most. */
const BATCH = 500;
/** Milliseconds that events are gathered for. */
const GATHER_MS = 100;
/** Milliseconds before what the database did not take is tried again, at most: longer each time. */
const RETRY_MAX_MS = 5_000;
/** Milliseconds between looks for the call that an event is about, written by another node. */
const LOOK_AGAIN_MS = [500, 2_500, 7_000];
/** Calls whose repeats are not written again, and for how long: a caller repeats for a minute. */
const REPEATS = { max: 20_000, ttl: 90_000 };
/** Milliseconds after which one is even so: whoever was not woken may be woken now. */
export const REMIND_MS = 10_000;
/** How often a node that closes writes what waits, where the database gave it up for another. */
const LAST_TRIES = 3;

interface Waiting {
  event: CallEvent;
  /** How often it was looked for. */
  looks: number;
}

/** A `call` that was written. */
interface WrittenCall {
  at: number;
  /** Whether it, or a repeat of it, reached no connected device. */
  unheard: boolean;
}

/** What became of a batch: `again` where it may be tried at once, `away` where the database is. */
type Outcome = "done" | "again" | "away";

/**
 * Writes what accepted signals say about calls, behind them: observing takes no time and never fails.
 * While the database is away events wait, up to a bound; what is lost is a record, never a signal.
 */
export class Recorder {
  private queue: Waiting[] = [];
  /** Looks that are still to come, in the order of asking. */
  private readonly looks = new Map<Waiting, NodeJS.Timeout>();
  /** Looks whose time has come: apart from the queue, so that they take no new event's room. */
  private due: Waiting[] = [];
  private readonly written = new LRUCache<string, WrittenCall>(REPEATS);
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<unknown> | null = null;
  private retryMs = GATHER_MS;
  private closed = false;

  /** @param alone whether no other node writes: then no event comes before its call */
  constructor(
    private readonly records: Records,
    private readonly alone: boolean,
  ) {}

  /** Takes a signal in. */
  readonly observe = (sent: SentSignal): void => {
    const event = toCallEvent(sent, this.records.identity.clock.now());
    if (event === null || this.closed || this.isRepeat(event)) return;
    this.put({ event, looks: 0 });
  };

  /** Writes what waits, what is still looked for included, and stops. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.flushing;
    for (const timer of this.looks.values()) clearTimeout(timer);
    this.due.push(...this.looks.keys());
    this.looks.clear();
    for (let tries = 0; tries < LAST_TRIES; tries += 1) {
      if ((await this.flush()) !== "again") break;
    }
    this.lose(this.queue.length + this.due.length);
    this.queue = [];
    this.due = [];
  }

  private put(waiting: Waiting): void {
    if (this.queue.length >= WAITING_MAX) {
      this.lose(1);
      return;
    }
    this.queue.push(waiting);
    this.later(GATHER_MS);
  }

  private lose(count: number): void {
    if (count > 0) this.records.metrics.callRecords.inc({ outcome: "lost" }, count);
  }

  private later(ms: number): void {
    if (this.closed || this.timer || this.flushing) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flushing = this.flush().finally(() => {
        this.flushing = null;
        if (this.queue.length + this.due.length > 0) this.later(this.retryMs);
      });
    }, ms).unref();
  }

  /** Writes batch after batch until nothing waits, or the database does not take it. */
  private async flush(): Promise<Outcome> {
    while (this.queue.length + this.due.length > 0) {
      const batch = this.queue.slice(0, BATCH);
      const due = this.due.splice(0, BATCH - batch.length);
      const outcome = await this.write([...batch, ...due]);
      if (outcome !== "done") {
        this.due.unshift(...due);
        this.retryMs = Math.min(RETRY_MAX_MS, this.retryMs * 2);
        return outcome;
      }
      this.queue = this.queue.slice(batch.length);
      this.retryMs = GATHER_MS;
    }
    return "done";
  }

  /**
   * Writes a batch. Where the database refuses one of its events, each is written alone, so that only
   * those that are refused are given up.
   */
  private async write(batch: Waiting[]): Promise<Outcome> {
    const { log, metrics } = this.records;
    try {
      const { unknown } = await writeEvents(
        this.records,
        batch.map(({ event }) => event),
      );
      const missing = new Set(unknown);
      for (const waiting of batch) {
        if (missing.has(waiting.event)) this.lookAgain(waiting);
        else this.remember(waiting.event);
      }
      metrics.callRecords.inc({ outcome: "written" }, batch.length - missing.size);
      return "done";
    } catch (error) {
      const again = deadlocked(error);
      if (again || (error instanceof Fault && error.code === "UNAVAILABLE")) {
        log.warn({ err: error, waiting: this.queue.length }, "calls cannot be recorded for now");
        return again ? "again" : "away";
      }
      if (batch.length === 1) {
        log.error({ err: error }, "a call could not be recorded");
        this.lose(1);
        return "done";
      }
    }
    for (const waiting of batch) {
      const outcome = await this.write([waiting]);
      if (outcome !== "done") return outcome;
    }
    return "done";
  }

  /** Another node may not have written the call yet; what nobody writes was about none. */
  private lookAgain({ event, looks }: Waiting): void {
    const wait = this.alone || this.closed ? undefined : LOOK_AGAIN_MS[looks];
    if (wait === undefined) {
      this.giveUp(event, "unknown");
      return;
    }
    if (this.looks.size + this.due.length >= LOOKS_MAX) this.dropLongest();
    const waiting = { event, looks: looks + 1 };
    const timer = setTimeout(() => {
      this.looks.delete(waiting);
      this.due.push(waiting);
      this.later(GATHER_MS);
    }, wait).unref();
    this.looks.set(waiting, timer);
  }

  /** The longest waiting had its time to be found; whoever makes calls up has none of the others'. */
  private dropLongest(): void {
    const [first] = this.looks;
    if (!first) return;
    const [waiting, timer] = first;
    clearTimeout(timer);
    this.looks.delete(waiting);
    this.giveUp(waiting.event, "lost");
  }

  /** A `call` in the name of somebody whose call there is not is the sender's own. */
  private giveUp(event: CallEvent, outcome: "unknown" | "lost"): void {
    const own = asOwnCall(event);
    if (own.kind === "call" && event.kind === "call" && own.initiator !== event.initiator) {
      this.put({ event: own, looks: LOOK_AGAIN_MS.length });
      return;
    }
    this.records.metrics.callRecords.inc({ outcome });
  }

  private isRepeat(event: CallEvent): boolean {
    if (event.kind !== "call") return false;
    const known = this.written.get(keyOf(event));
    if (known === undefined) return false;
    // Unheard is worth knowing once more: nobody may have been connected since.
    if (!event.heard && !known.unheard) return false;
    return event.at - known.at < REMIND_MS;
  }

  private remember(event: CallEvent): void {
    if (event.kind !== "call") return;
    const unheard = this.written.get(keyOf(event))?.unheard ?? false;
    this.written.set(keyOf(event), { at: event.at, unheard: unheard || !event.heard });
  }
}

function keyOf({ sessionId, from, to }: CallEvent): string {
  return `${from} ${to} ${sessionId}`;
}
