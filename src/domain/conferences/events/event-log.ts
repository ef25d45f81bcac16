import type { Log } from "../../../core/log";
import type { Bus } from "../../../platform/bus/bus";
import type { ConferenceEvent } from "../model/conference-event";

/** Name of a conference's inbox on the bus, and of its channel. */
export function inboxOfConference(conferenceId: number): string {
  return `conference:${conferenceId}`;
}

/** Maximum number of events that wait for the bus; beyond it, subscribers get a snapshot instead. */
const WAITING_MAX = 500;
/** Wait before the next attempt while the bus cannot be reached, in milliseconds. */
const RETRY_MS = 250;

/**
 * Appends the events of one conference to its inbox, in order. While the bus cannot be reached they wait here.
 */
export class EventLog {
  private readonly waiting: ConferenceEvent[] = [];
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  /** @param snapshot makes the event that replaces events which were dropped */
  constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly conferenceId: number,
    private readonly snapshot: () => ConferenceEvent,
  ) {}

  /** Appends an event after all earlier ones; never waits. */
  append(event: ConferenceEvent): void {
    if (this.closed) return;
    this.waiting.push(event);
    if (this.waiting.length > WAITING_MAX) {
      this.waiting.length = 0;
      this.waiting.push(this.snapshot());
    }
    if (this.timer === null) this.run();
  }

  /** Waits until all events are appended, or the first attempt to do so has failed. */
  async flush(): Promise<void> {
    await this.running;
  }

  /** Ends it, without the events that still wait. */
  close(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private run(): void {
    this.running ??= this.appendAll().finally(() => {
      this.running = null;
      // An event may have come after the last look.
      if (this.waiting.length > 0 && this.timer === null && !this.closed) this.run();
    });
  }

  private async appendAll(): Promise<void> {
    const inbox = inboxOfConference(this.conferenceId);
    for (;;) {
      const [event] = this.waiting;
      if (!event || this.closed) return;
      try {
        await this.bus.append(inbox, JSON.stringify(event));
      } catch (error) {
        this.log.warn({ err: error }, "an event of a conference could not be stored yet");
        this.timer = setTimeout(() => {
          this.timer = null;
          this.run();
        }, RETRY_MS);
        this.timer.unref();
        return;
      }
      // Overflow may have replaced the events by now.
      if (this.waiting[0] === event) this.waiting.shift();
    }
  }
}
