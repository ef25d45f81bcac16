/** Counters are modulo 2^32 (XEP-0198 section 4). */
const MODULUS = 2 ** 32;

/** What one stream may have sent without an acknowledgement. */
export interface OutboxBounds {
  stanzas: number;
  /** Besides the last stanza. */
  bytes: number;
}

/** A stanza that was sent, and may have to be sent again. */
interface Kept {
  xml: string;
  bytes: number;
  /** Place in the inbox, of a call signal. */
  cursor: string | undefined;
}

/** The stanzas of one stream that the client has not acknowledged, oldest first. */
export class Outbox {
  #kept: Kept[] = [];
  #bytes = 0;
  /** How many the client has acknowledged. */
  #acknowledged: number;
  /** How many more than were sent the client counts. */
  #surplus = 0;

  /** @param acknowledged what the client has acknowledged of what went before */
  constructor(
    private readonly bounds: OutboxBounds,
    acknowledged = 0,
  ) {
    this.#acknowledged = acknowledged;
  }

  /** Stanzas that are not acknowledged. */
  get size(): number {
    return this.#kept.length;
  }

  /** Bytes of the stanzas that are not acknowledged. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Keeps a stanza; false when too much was kept before it, and the stream has to end. Its own bytes do
   * not count yet: the largest stanza fits where half of what may be kept is free.
   */
  push(xml: string, cursor: string | undefined): boolean {
    const bytes = Buffer.byteLength(xml);
    const fits = this.#kept.length < this.bounds.stanzas && this.#bytes <= this.bounds.bytes;
    this.#kept.push({ xml, bytes, cursor });
    this.#bytes += bytes;
    return fits;
  }

  /**
   * Takes what the client has counted. Some count one stanza too many: then all is acknowledged, and
   * what they are ahead by is taken off their later counts, so that none counts for a stanza to come.
   * A count that went back cannot be right, unless an earlier one was wrong.
   * @returns the place in the inbox of the newest signal that is acknowledged by this, if one is
   */
  acknowledge(h: number): string | undefined {
    let count = modulo(h - this.#surplus - this.#acknowledged);
    if (count >= MODULUS / 2) {
      this.#surplus = 0;
      count = modulo(h - this.#acknowledged);
      if (count > this.#kept.length) return undefined;
    }
    if (count > this.#kept.length) {
      this.#surplus = modulo(this.#surplus + count - this.#kept.length);
      count = this.#kept.length;
    }
    this.#acknowledged = modulo(this.#acknowledged + count);
    let cursor: string | undefined;
    for (const stanza of this.#kept.splice(0, count)) {
      this.#bytes -= stanza.bytes;
      cursor = stanza.cursor ?? cursor;
    }
    return cursor;
  }

  /** What is not acknowledged, in the order it was sent. */
  stanzas(): string[] {
    return this.#kept.map(({ xml }) => xml);
  }
}

const modulo = (count: number) => ((count % MODULUS) + MODULUS) % MODULUS;
