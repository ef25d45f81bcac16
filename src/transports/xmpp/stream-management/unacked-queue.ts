/** Counters are modulo 2^32 (XEP-0198 section 4). */
const MODULUS = 2 ** 32;

/** Limits of a stream's unacknowledged stanzas. */
export interface UnackedLimits {
  stanzas: number;
  /** Not counting the last stanza. */
  bytes: number;
}

/** A sent stanza that may have to be sent again. */
interface UnackedStanza {
  xml: string;
  bytes: number;
  /** Cursor of a call signal in the inbox. */
  cursor: string | undefined;
}

/** The stanzas of one stream that the client has not acknowledged, oldest first. */
export class UnackedQueue {
  private queue: UnackedStanza[] = [];
  private totalBytes = 0;
  /** Number of acknowledged stanzas, modulo 2^32. */
  private acknowledged: number;
  /** By how much the client's count exceeds the number of sent stanzas. */
  private surplus = 0;

  /** @param acknowledged initial number of acknowledged stanzas */
  constructor(
    private readonly limits: UnackedLimits,
    acknowledged = 0,
  ) {
    this.acknowledged = acknowledged;
  }

  /** Number of unacknowledged stanzas. */
  get size(): number {
    return this.queue.length;
  }

  /** Total size of the unacknowledged stanzas, in bytes. */
  get bytes(): number {
    return this.totalBytes;
  }

  /**
   * Adds a stanza. Returns false if the queue was already over its limits, so that the stream has to end.
   * The stanza's own size does not count, so that even the largest one fits a queue below its limits.
   */
  push(xml: string, cursor: string | undefined): boolean {
    const bytes = Buffer.byteLength(xml);
    const fits = this.queue.length < this.limits.stanzas && this.totalBytes <= this.limits.bytes;
    this.queue.push({ xml, bytes, cursor });
    this.totalBytes += bytes;
    return fits;
  }

  /**
   * Handles the client's count. Some clients count one stanza too many: then all stanzas are acknowledged,
   * and the surplus is subtracted from later counts, so that it never acknowledges a future stanza. A count
   * that goes back is valid only if an earlier one was too high.
   * @returns the cursor of the newest signal that this acknowledges, if any
   */
  acknowledge(h: number): string | undefined {
    let count = modulo(h - this.surplus - this.acknowledged);
    if (count >= MODULUS / 2) {
      this.surplus = 0;
      count = modulo(h - this.acknowledged);
      if (count > this.queue.length) return undefined;
    }
    if (count > this.queue.length) {
      this.surplus = modulo(this.surplus + count - this.queue.length);
      count = this.queue.length;
    }
    this.acknowledged = modulo(this.acknowledged + count);
    let cursor: string | undefined;
    for (const stanza of this.queue.splice(0, count)) {
      this.totalBytes -= stanza.bytes;
      cursor = stanza.cursor ?? cursor;
    }
    return cursor;
  }

  /** The unacknowledged stanzas, in the order sent. */
  stanzas(): string[] {
    return this.queue.map(({ xml }) => xml);
  }
}

const modulo = (count: number) => ((count % MODULUS) + MODULUS) % MODULUS;
