import { REQUEST } from "./elements";
import { type UnackedLimits, UnackedQueue } from "./unacked-queue";

/** Number of stanzas after which an acknowledgement is requested. */
const REQUEST_EVERY = 5;

/** Limits of stream management. */
export interface StreamManagementLimits {
  /** Limits of the unacknowledged stanzas; below the backlog limit, so that all can be sent again. */
  unacknowledged: UnackedLimits;
  /** Delay of a request for an acknowledgement while few stanzas are unacknowledged, in milliseconds. */
  ackRequestDelayMs: number;
  /**
   * Maximum time that missed signals wait for the client to enable stream management after its earlier
   * stream could not be resumed, in milliseconds.
   */
  enableWaitMs: number;
}

/** Counts the stanzas of one stream in both directions and requests acknowledgements (XEP-0198 section 4). */
export class StanzaAcknowledgements {
  readonly unacked: UnackedQueue;
  /** Number of the client's stanzas that were handled, modulo 2^32. */
  handled = 0;
  /** Whether a request is in flight (one at a time), or none may be sent. */
  private requested = false;
  private sinceRequest = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param write sends a request on the stream */
  constructor(
    private readonly limits: StreamManagementLimits,
    private readonly write: (xml: string) => void,
  ) {
    this.unacked = new UnackedQueue(limits.unacknowledged);
  }

  /** Counts a stanza of the client as handled. */
  countHandled(): void {
    this.handled = (this.handled + 1) % 2 ** 32;
  }

  /** Counts a sent stanza and requests an acknowledgement, now or after a delay, unless one is in flight. */
  countSent(): void {
    this.sinceRequest += 1;
    if (!this.requested) this.scheduleRequest();
  }

  /** Returns a request for an acknowledgement, to be sent at any time, for example as a liveness probe. */
  ackRequest(): string {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.requested = true;
    this.sinceRequest = 0;
    return REQUEST;
  }

  /**
   * Handles the client's count; requests the next acknowledgement if more was sent since the last request.
   * @returns see UnackedQueue.acknowledge
   */
  handleAck(h: number): string | undefined {
    const cursor = this.unacked.acknowledge(h);
    this.requested = false;
    if (this.sinceRequest > 0) this.scheduleRequest();
    return cursor;
  }

  /** Stops sending requests: the stream is disconnected or not resumed yet. */
  pause(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.requested = true;
  }

  /** Starts again after a resumption and requests an acknowledgement of what was sent again. */
  resume(): void {
    this.requested = false;
    this.request();
  }

  private scheduleRequest(): void {
    const large = this.unacked.bytes >= this.limits.unacknowledged.bytes / 4;
    if (large || this.sinceRequest >= REQUEST_EVERY) this.request();
    else {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.request();
      }, this.limits.ackRequestDelayMs);
    }
  }

  private request(): void {
    if (this.unacked.size > 0) this.write(this.ackRequest());
  }
}
