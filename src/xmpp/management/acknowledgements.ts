import { REQUEST } from "./elements";
import { Outbox, type OutboxBounds } from "./outbox";

/** Stanzas after which the client is asked how much it has received. */
const ASK_EVERY = 5;

/** Bounds of stream management. */
export interface ManagementLimits {
  /** What may wait for an acknowledgement; less than may wait to be read, so all can be sent again. */
  unacknowledged: OutboxBounds;
  /** Milliseconds after which the client is asked about fewer stanzas than make a question. */
  askMs: number;
  /** Milliseconds that missed signals wait for stream management on a stream that could not be resumed. */
  holdMs: number;
}

/** The counting of one stream, both ways (XEP-0198 section 4), and when to ask. */
export class Acknowledgements {
  readonly outbox: Outbox;
  /** Stanzas of the client that were handled, modulo 2^32. */
  handled = 0;
  /** Whether a question is not answered yet; there is one at a time. */
  #asked = false;
  #sinceAsked = 0;
  /** One timer for all that is sent before it runs out. */
  #timer: NodeJS.Timeout | undefined;

  /** @param write puts a question on the stream */
  constructor(
    private readonly limits: ManagementLimits,
    private readonly write: (xml: string) => void,
  ) {
    this.outbox = new Outbox(limits.unacknowledged);
  }

  /** Counts a stanza of the client. */
  count(): void {
    this.handled = (this.handled + 1) % 2 ** 32;
  }

  /** Asks about what was sent, now or soon, unless an answer is due already. */
  sent(): void {
    this.#sinceAsked += 1;
    if (!this.#asked) this.#askInTime();
  }

  /** A question that may be put at any time, as a sign of life is asked for. */
  question(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asked = true;
    this.#sinceAsked = 0;
    return REQUEST;
  }

  /**
   * Takes the client's count, and asks on about what is still open.
   * @returns see Outbox.acknowledge
   */
  answered(h: number): string | undefined {
    const cursor = this.outbox.acknowledge(h);
    this.#asked = false;
    if (this.#sinceAsked > 0) this.#askInTime();
    return cursor;
  }

  /** Nothing is asked any more: the stream has no connection, or none that is ready. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asked = true;
  }

  /** Asks about all that was sent again on a new connection. */
  resume(): void {
    this.#asked = false;
    this.#ask();
  }

  /** Now when much was sent, in number or in bytes; soon otherwise. */
  #askInTime(): void {
    const much = this.outbox.bytes >= this.limits.unacknowledged.bytes / 4;
    if (much || this.#sinceAsked >= ASK_EVERY) this.#ask();
    else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#ask();
      }, this.limits.askMs);
    }
  }

  #ask(): void {
    if (this.outbox.size > 0) this.write(this.question());
  }
}
