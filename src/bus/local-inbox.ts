import { ENTRY_BYTES, INBOX_BASE_BYTES, INBOX_BYTES, INBOX_ENTRIES, INBOX_MS } from "./bus";
import type { Gone } from "./gone";
import { type Excess, type Held, Shares } from "./shares";

/** An entry of an inbox in memory. */
export interface Entry extends Held {
  number: number;
  /** When it was appended, in milliseconds since the epoch. */
  at: number;
  /** In UTF-8: a minute of texts would go through each of the garbage collector's rounds. */
  body: Buffer;
  lane: string;
}

/** The entries of one inbox in memory, in the order of their numbers. */
export class LocalInbox {
  readonly entries: Entry[] = [];
  /** When a lasting entry that was taken out since there was too much had been appended; the last of them. */
  trimmedAt = Number.NEGATIVE_INFINITY;
  private bytes = 0;
  private readonly shares = new Shares<Entry>();

  constructor(
    readonly gone: Gone,
    /** Whether anything is remembered of it once it is empty. */
    readonly remembered: boolean,
  ) {}

  /** Bytes that it counts for where all inboxes are bounded together. */
  get size(): number {
    const { length } = this.entries;
    return length === 0 ? 0 : INBOX_BASE_BYTES + ENTRY_BYTES * length + this.bytes;
  }

  /** Adds an entry, and makes room for it; false where nothing may go in its place. */
  add(entry: Entry): boolean {
    this.entries.push(entry);
    this.bytes += entry.body.length;
    this.shares.add(entry);
    for (let excess = this.excess(); excess; excess = this.excess()) {
      const going = this.next(excess, entry);
      this.remove(going);
      if (going === entry) return false;
      this.gone.take(going.lane, going.number);
      if (going.share.lasting) this.trimmedAt = Math.max(this.trimmedAt, going.at);
    }
    return true;
  }

  /** Takes away what is past its time. */
  expire(now: number): void {
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      if (now - entry.at <= INBOX_MS) return;
      this.remove(entry);
      this.gone.take(entry.lane, entry.number);
    }
  }

  /** Index of the first entry beyond a number. */
  firstAfter(number: number): number {
    let [from, to] = [0, this.entries.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.entries[middle]?.number ?? 0) > number) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  private excess(): Excess | undefined {
    const { length } = this.entries;
    if (length > INBOX_ENTRIES) return "entries";
    return length > 1 && this.bytes > INBOX_BYTES ? "bytes" : undefined;
  }

  private next(excess: Excess, newest: Entry): Entry {
    const [oldest = newest] = this.entries;
    return newest.share.sender === "" ? oldest : this.shares.next(excess, newest);
  }

  private remove(entry: Entry): void {
    this.entries.splice(this.firstAfter(entry.number - 1), 1);
    this.bytes -= entry.body.length;
    this.shares.remove(entry);
  }
}
