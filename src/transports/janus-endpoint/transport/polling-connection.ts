import { newId } from "../../../core/random";
import { TokenBucket } from "../../../platform/limits/token-bucket";
import type { Frame } from "../protocol/frames";
import type { JanusLimits } from "../protocol/janus-limits";
import { EventQueue } from "../session/event-queue";
import type { JanusConnection, JanusSession, SessionEnd } from "../session/janus-session";

/** The events that a poll is answered with, serialized. */
export interface PollResult {
  events: string[];
}

/** A waiting poll. */
interface Waiting {
  max: number;
  resolve(result: PollResult): void;
  timer: NodeJS.Timeout;
}

/** The connection of a polling session: its events wait for the next poll. */
export class PollingConnection implements JanusConnection {
  readonly transport = "polling";
  readonly id = newId();
  /** Limits what arrives for the session, before it is parsed. */
  readonly arrivals: TokenBucket;
  private readonly queue: EventQueue;
  private session: JanusSession | null = null;
  private waiting: Waiting | null = null;

  /** @param onEnded called when the session has ended by itself, and later polls may still fetch its last events */
  constructor(
    private readonly limits: JanusLimits,
    private readonly onEnded: (session: JanusSession, connection: PollingConnection) => void,
  ) {
    this.queue = new EventQueue(
      limits.queue,
      () => this.flush(),
      () => this.session?.end("lost"),
    );
    this.arrivals = new TokenBucket(limits.messagesPerSecond, limits.messageBurstSeconds);
  }

  /** Whether no event waits for a poll. */
  get empty(): boolean {
    return this.queue.length === 0;
  }

  send(frame: Frame): void {
    this.queue.push(frame);
  }

  whenDrained(): Promise<void> {
    return this.queue.whenDrained();
  }

  sessionOpened(session: JanusSession): void {
    this.session = session;
  }

  sessionEnded(session: JanusSession, _reason: SessionEnd): void {
    this.onEnded(session, this);
    this.send({ janus: "timeout", session_id: session.id });
  }

  sessionLeft(): void {
    // A destroyed session is not polled again; an ended one gets its last event.
    this.session = null;
    if (this.queue.length === 0) this.answer();
  }

  /**
   * Waits for events; resolves without any after `pollMs`. A later poll ends an earlier one.
   * @param max maximum number of events
   * @param aborted is aborted when the client has gone: its events stay queued
   */
  poll(max: number, aborted: AbortSignal): Promise<PollResult> {
    this.answer();
    if (aborted.aborted) return Promise.resolve({ events: [] });
    this.session?.holdIdle();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answer(), this.limits.pollMs);
      const waiting = { max, resolve, timer };
      this.waiting = waiting;
      aborted.addEventListener("abort", () => {
        if (this.waiting === waiting) this.release({ events: [] });
      });
      if (this.queue.length > 0) this.flush();
    });
  }

  private flush(): void {
    if (this.waiting) this.release({ events: this.queue.take(this.waiting.max) });
  }

  /** Ends a waiting poll without events. */
  private answer(): void {
    if (this.waiting) this.release({ events: [] });
  }

  private release(result: PollResult): void {
    const { waiting } = this;
    if (!waiting) return;
    this.waiting = null;
    clearTimeout(waiting.timer);
    this.session?.touch();
    waiting.resolve(result);
  }
}
