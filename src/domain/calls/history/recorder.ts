import { LRUCache } from "lru-cache";
import { Fault } from "../../../core/errors";
import { carriedTrace, outsideTrace } from "../../../core/tracing";
import { isDeadlock } from "../../../platform/store/database-errors";
import { type CallEvent, type SentSignal, toCallEvent } from "./call-event";
import type { HistoryDeps } from "./history-deps";
import { asOwnCall } from "./recorded-calls";
import { writeCallEvents } from "./write-calls";

/** Maximum number of queued events on one node; beyond it, new events are dropped and counted. */
export const EVENTS_MAX = 10_000;
/** Maximum number of queued events when one arrives that is only for a timeline: these do not displace others. */
export const TIMELINE_EVENTS_MAX = EVENTS_MAX / 2;
/** Maximum number of events waiting for a retry of their look-up; beyond it, the oldest are dropped. */
export const LOOKUPS_MAX = 1_000;
/** The same when an event waits that is only for a timeline; beyond it, that event is dropped. */
export const TIMELINE_LOOKUPS_MAX = LOOKUPS_MAX / 2;
/** Maximum number of events in one transaction. */
const BATCH = 500;
/** How long events are collected before they are written, in milliseconds. */
const BATCH_DELAY_MS = 100;
/** Longest back-off after a failed write, in milliseconds. */
const RETRY_MAX_MS = 5_000;
/**
 * Delays between look-ups of an event's call, which another node may still have to write, in milliseconds.
 */
const LOOKUP_DELAYS_MS = [500, 2_500, 7_000];
/**
 * Number of calls whose repeats are skipped, and their TTL in milliseconds; a caller repeats for a minute.
 */
const REPEATS = { max: 20_000, ttl: 90_000 };
/** Milliseconds after which a repeat is recorded nevertheless, since it may trigger an incoming-call push. */
export const REPEAT_AFTER_MS = 10_000;
/** Maximum number of write attempts during shutdown in case of deadlocks. */
const CLOSE_ATTEMPTS_MAX = 3;

interface QueuedEvent {
  event: CallEvent;
  /** Number of retries of its look-up. */
  lookups: number;
}

/** A `call` that was written. */
interface WrittenCall {
  at: number;
  /** Whether it or a repeat of it reached no connected device. */
  undelivered: boolean;
}

/** Result of a write: `retry` after a deadlock, `unavailable` if the database cannot be reached. */
type Outcome = "done" | "retry" | "unavailable";

/**
 * Records calls from the accepted signals, asynchronously: `observe` neither blocks nor fails. Events are
 * queued, up to a limit, while the database is unavailable; an overflow loses records, never signals.
 */
export class Recorder {
  private queue: QueuedEvent[] = [];
  /** Events whose next look-up is scheduled, oldest first. */
  private readonly scheduled = new Map<QueuedEvent, NodeJS.Timeout>();
  /** Events whose next look-up is due; apart from the queue, so that they do not displace new events. */
  private due: QueuedEvent[] = [];
  private readonly written = new LRUCache<string, WrittenCall>(REPEATS);
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<unknown> | null = null;
  private retryMs = BATCH_DELAY_MS;
  private closed = false;

  /** @param alone whether this is the only node, so that an event never precedes its call */
  constructor(
    private readonly deps: HistoryDeps,
    private readonly alone: boolean,
  ) {}

  /** Queues the call event of a signal, if it has one. */
  readonly observe = (sent: SentSignal): void => {
    const event = toCallEvent(sent, this.deps.clock.now());
    if (event === null || this.closed || this.isRepeat(event)) return;
    const trace = carriedTrace();
    if (trace !== undefined) event.trace = trace;
    this.enqueue({ event, lookups: 0 });
  };

  /** Writes all queued events, with a last look-up of those that wait for one, and stops. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.flushing;
    for (const timer of this.scheduled.values()) clearTimeout(timer);
    this.due.push(...this.scheduled.keys());
    this.scheduled.clear();
    for (let attempts = 0; attempts < CLOSE_ATTEMPTS_MAX; attempts += 1) {
      if ((await this.flush()) !== "retry") break;
    }
    this.countDropped(this.queue.length + this.due.length);
    this.queue = [];
    this.due = [];
  }

  private enqueue(queued: QueuedEvent): void {
    const max = queued.event.kind === "other" ? TIMELINE_EVENTS_MAX : EVENTS_MAX;
    if (this.queue.length >= max) {
      this.countDropped(1);
      return;
    }
    this.queue.push(queued);
    this.scheduleFlush(BATCH_DELAY_MS);
  }

  private countDropped(count: number): void {
    if (count > 0) this.deps.metrics.callRecords.inc({ outcome: "dropped" }, count);
  }

  private scheduleFlush(ms: number): void {
    if (this.closed || this.timer || this.flushing) return;
    // A batch has the events of many traces.
    this.timer = outsideTrace(() => setTimeout(() => this.startFlush(), ms)).unref();
  }

  private startFlush(): void {
    this.timer = null;
    this.flushing = this.flush().finally(() => {
      this.flushing = null;
      if (this.queue.length + this.due.length > 0) this.scheduleFlush(this.retryMs);
    });
  }

  /** Writes batches until nothing is queued or a write fails. */
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
      this.retryMs = BATCH_DELAY_MS;
    }
    return "done";
  }

  /**
   * Writes a batch. If the database rejects it, the events are written one by one, so that only the rejected
   * ones are lost.
   */
  private async write(batch: QueuedEvent[]): Promise<Outcome> {
    const { log, metrics } = this.deps;
    try {
      const { unknown } = await writeCallEvents(
        this.deps,
        batch.map(({ event }) => event),
      );
      const missing = new Set(unknown);
      for (const queued of batch) {
        if (missing.has(queued.event)) this.retryLookup(queued);
        else this.remember(queued.event);
      }
      metrics.callRecords.inc({ outcome: "written" }, batch.length - missing.size);
      return "done";
    } catch (error) {
      const retryable = isDeadlock(error);
      if (retryable || (error instanceof Fault && error.code === "UNAVAILABLE")) {
        log.warn({ err: error, queued: this.queue.length }, "failed to record calls; will retry");
        return retryable ? "retry" : "unavailable";
      }
      if (batch.length === 1) {
        log.error({ err: error }, "failed to record a call event");
        this.countDropped(1);
        return "done";
      }
    }
    for (const queued of batch) {
      const outcome = await this.write([queued]);
      if (outcome !== "done") return outcome;
    }
    return "done";
  }

  /** Schedules another look-up, since another node may still have to write the call. */
  private retryLookup({ event, lookups }: QueuedEvent): void {
    const delay = this.alone || this.closed ? undefined : LOOKUP_DELAYS_MS[lookups];
    if (delay === undefined) {
      this.giveUp(event, "unmatched");
      return;
    }
    const waiting = this.scheduled.size + this.due.length;
    if (event.kind === "other" && waiting >= TIMELINE_LOOKUPS_MAX) {
      this.giveUp(event, "dropped");
      return;
    }
    if (waiting >= LOOKUPS_MAX) this.dropOldest();
    const queued = { event, lookups: lookups + 1 };
    const timer = setTimeout(() => {
      this.scheduled.delete(queued);
      this.due.push(queued);
      this.scheduleFlush(BATCH_DELAY_MS);
    }, delay).unref();
    this.scheduled.set(queued, timer);
  }

  /**
   * Drops the oldest event, which had most time to be matched, so that made-up calls do not displace new
   * ones.
   */
  private dropOldest(): void {
    const [first] = this.scheduled;
    if (!first) return;
    const [queued, timer] = first;
    clearTimeout(timer);
    this.scheduled.delete(queued);
    this.giveUp(queued.event, "dropped");
  }

  /**
   * Records a `call` on behalf of a caller without such a call as the sender's own; drops any other event.
   */
  private giveUp(event: CallEvent, outcome: "unmatched" | "dropped"): void {
    const own = asOwnCall(event);
    if (own.kind === "call" && event.kind === "call" && own.initiator !== event.initiator) {
      this.enqueue({ event: own, lookups: LOOKUP_DELAYS_MS.length });
      return;
    }
    this.deps.metrics.callRecords.inc({ outcome });
  }

  private isRepeat(event: CallEvent): boolean {
    if (event.kind !== "call") return false;
    const known = this.written.get(keyOf(event));
    if (known === undefined) return false;
    // The first repeat that reaches no device is recorded, since it may trigger an incoming-call push.
    if (!event.hasSubscribers && !known.undelivered) return false;
    return event.at - known.at < REPEAT_AFTER_MS;
  }

  private remember(event: CallEvent): void {
    if (event.kind !== "call") return;
    const undelivered = this.written.get(keyOf(event))?.undelivered ?? false;
    this.written.set(keyOf(event), {
      at: event.at,
      undelivered: undelivered || !event.hasSubscribers,
    });
  }
}

function keyOf({ callId, from, to }: CallEvent): string {
  return `${from} ${to} ${callId}`;
}
