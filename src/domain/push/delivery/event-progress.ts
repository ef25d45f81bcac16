import { SharedIntervals } from "../../../core/loads/shared-intervals";
import type { SharedLoads } from "../../../core/loads/shared-loads";
import type { UserOrMember } from "../../../core/viewer";
import type { PushDeps } from "../deps/push-deps";
import { requireEvent } from "../events/event-list";
import { findEventById } from "../events/event-list-queries";
import { progressChannel } from "../events/progress";
import { eventStateOf, type PushEvent, pendingCount } from "../events/push-event";
import { type DeliveryLoads, loadDeliveries } from "./deliveries";
import type { PushDelivery } from "./delivery-queries";

/** The state of an event while it sends, and what has happened since the previous one. */
export interface EventProgress {
  event: PushEvent;
  /** Deliveries that were attempted since, up to {@link DELIVERIES_MAX}. */
  deliveries: PushDelivery[];
  /** Number of further attempts since. */
  omittedCount: number;
}

/** Maximum number of deliveries in one update. */
export const DELIVERIES_MAX = 100;
/** Minimum time between two updates, in milliseconds. */
const UPDATE_MS = 300;
/** After this time without a notice the event is read again, because a notice may be lost. */
const LOOK_MS = 3_000;
/** The same while the event waits for its date. The dispatch then begins with a notice. */
const WAITING_LOOK_MS = 30_000;
/** All who watch an event are updated together, so that they share what they read. */
const updates = new SharedIntervals(UPDATE_MS);

/** What the subscriptions of a node share. */
export interface ProgressLoads extends DeliveryLoads {
  /** Events by id; null for one that is gone. */
  events: SharedLoads<PushEvent | null>;
}

/**
 * Streams the progress of an event that the viewer sees: at once its present state, then an update after each
 * change, and the last one when it is finished. Then the stream ends, as it does when the event is deleted.
 * Changes that happen within {@link UPDATE_MS}, or while the subscriber is slow, are one update.
 * @throws Fault NOT_FOUND
 */
export async function streamEventProgress(
  push: PushDeps & ProgressLoads,
  viewer: UserOrMember,
  id: string,
): Promise<AsyncIterableIterator<EventProgress>> {
  const event = await requireEvent(push, viewer, id);
  const stream = new ProgressStream(push, event.id);
  await stream.open();
  return stream;
}

class ProgressStream implements AsyncIterableIterator<EventProgress> {
  /** The last update; null before the first. */
  private previous: PushEvent | null = null;
  /** Number of final outcomes at the first update, and of attempts that notices have told of. */
  private decidedBefore = 0;
  private attempts = 0;
  private deliveries: number[] = [];
  private omittedCount = 0;
  private noticed = false;
  private isLastLook = false;
  private readonly closing = new AbortController();
  private unsubscribe: () => Promise<void> = async () => undefined;

  constructor(
    private readonly push: PushDeps & ProgressLoads,
    private readonly eventId: number,
  ) {}

  /** Subscribes before the first state is read, so that nothing is missed in between. */
  async open(): Promise<void> {
    const channel = progressChannel(this.eventId);
    this.unsubscribe = await this.push.bus.subscribe(channel, (message) => this.notice(message));
  }

  async next(): Promise<IteratorResult<EventProgress>> {
    try {
      while (!this.closing.signal.aborted) {
        if (this.previous !== null) {
          if (this.isOver(this.previous)) break;
          await this.change(lookAfterMs(this.previous));
        }
        if (this.closing.signal.aborted) break;
        const progress = await this.read();
        if (progress === null) break;
        if (progress !== "unchanged") return { value: progress, done: false };
      }
    } catch (error) {
      await this.return();
      throw error;
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<EventProgress>> {
    this.closing.abort();
    await this.unsubscribe();
    this.unsubscribe = async () => undefined;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<EventProgress> {
    return this;
  }

  /** Takes a notice of attempted deliveries. An empty one says that others may have been missed. */
  private notice(message: string): void {
    const ids = message === "" ? [] : (JSON.parse(message) as number[]);
    const room = DELIVERIES_MAX - this.deliveries.length;
    this.deliveries.push(...ids.slice(0, room));
    this.omittedCount += Math.max(0, ids.length - room);
    this.attempts += ids.length;
    this.noticed = true;
  }

  /** Resolves with the first update after the next change, or after `lookMs`, or at the end. */
  private async change(lookMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < lookMs; waitedMs += UPDATE_MS) {
      await this.nextUpdate();
      if (this.noticed || this.closing.signal.aborted) return;
    }
  }

  /** Resolves at the same time for all who watch the event; at once at the end. */
  private nextUpdate(): Promise<void> {
    const { signal } = this.closing;
    return new Promise((resolve) => {
      const finish = () => {
        remove();
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const remove = updates.add(String(this.eventId), finish);
      signal.addEventListener("abort", finish);
    });
  }

  /** Reads the event and the deliveries of the notices. @returns null if it was deleted */
  private async read(): Promise<EventProgress | "unchanged" | null> {
    const { previous } = this;
    const ids = this.deliveries;
    const omittedCount = this.omittedCount;
    this.deliveries = [];
    this.omittedCount = 0;
    this.noticed = false;
    const event = await this.push.events.load(String(this.eventId), () =>
      findEventById(this.push.store.query, this.eventId),
    );
    if (event === null) return null;
    if (previous === null) this.decidedBefore = decidedCount(event);
    else if (ids.length === 0 && isSame(previous, event)) return "unchanged";
    const deliveries = ids.length === 0 ? [] : await loadDeliveries(this.push, ids);
    this.previous = event;
    return { event, deliveries, omittedCount };
  }

  /**
   * Whether nothing follows an update. The counts of the last batch are committed before its notice is sent;
   * a finished event is therefore looked at once more if notices are missing.
   */
  private isOver(event: PushEvent): boolean {
    if (eventStateOf(event) !== "FINISHED") return false;
    if (this.isLastLook || this.attempts >= decidedCount(event) - this.decidedBefore) return true;
    this.isLastLook = true;
    return false;
  }
}

/** The time without a notice, in milliseconds, after which an event is read again. */
export function lookAfterMs(
  event: Pick<PushEvent, "nextRunAt" | "fanningOut"> & Parameters<typeof pendingCount>[0],
): number {
  const isWaiting = event.nextRunAt !== null && !event.fanningOut && pendingCount(event) === 0;
  return isWaiting ? WAITING_LOOK_MS : LOOK_MS;
}

/** Number of deliveries with a final outcome. */
function decidedCount(event: PushEvent): number {
  return event.deliveryCount - pendingCount(event);
}

function isSame(one: PushEvent, other: PushEvent): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
