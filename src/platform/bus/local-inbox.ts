import {
  ENTRY_OVERHEAD_BYTES,
  INBOX_BYTES_MAX,
  INBOX_ENTRIES_MAX,
  INBOX_OVERHEAD_BYTES,
  INBOX_TTL_MS,
} from "./bus";
import { type AccountedEntry, type ExceededLimit, SenderShares } from "./sender-shares";

/** An entry of an inbox in memory. */
export interface Entry extends AccountedEntry {
  number: number;
  /** When it was appended, in milliseconds since the Unix epoch. */
  at: number;
  /** A buffer and not a string, to keep a minute of signals out of the garbage collector's heap. */
  body: Buffer;
}

/** One inbox in memory; its entries are in the order of their numbers. */
export class LocalInbox {
  readonly entries: Entry[] = [];
  /** When the newest of the evicted high-priority entries had been appended. */
  priorityEvictedAt = Number.NEGATIVE_INFINITY;
  private bytes = 0;
  private readonly shares = new SenderShares<Entry>();

  /** @param watermark number of the last entry that is gone, expired or evicted */
  constructor(public watermark: number) {}

  /** What it counts for in the size of all inboxes, in bytes. */
  get size(): number {
    const { length } = this.entries;
    return length === 0 ? 0 : INBOX_OVERHEAD_BYTES + ENTRY_OVERHEAD_BYTES * length + this.bytes;
  }

  /** Adds an entry and evicts others if necessary. Returns false if no entry may be evicted for it. */
  add(entry: Entry): boolean {
    this.entries.push(entry);
    this.bytes += entry.body.length;
    this.shares.add(entry);
    for (let excess = this.excess(); excess; excess = this.excess()) {
      const victim = this.victim(excess, entry);
      this.remove(victim);
      if (victim === entry) return false;
      this.watermark = Math.max(this.watermark, victim.number);
      if (victim.options.highPriority)
        this.priorityEvictedAt = Math.max(this.priorityEvictedAt, victim.at);
    }
    return true;
  }

  /** Removes expired entries. */
  expire(now: number): void {
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      if (now - entry.at <= INBOX_TTL_MS) return;
      this.remove(entry);
      this.watermark = Math.max(this.watermark, entry.number);
    }
  }

  /** Index of the first entry after a number. */
  firstAfter(number: number): number {
    let [from, to] = [0, this.entries.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.entries[middle]?.number ?? 0) > number) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  private excess(): ExceededLimit | undefined {
    const { length } = this.entries;
    if (length > INBOX_ENTRIES_MAX) return "entries";
    return length > 1 && this.bytes > INBOX_BYTES_MAX ? "bytes" : undefined;
  }

  private victim(excess: ExceededLimit, newest: Entry): Entry {
    const [oldest = newest] = this.entries;
    return newest.options.sender === "" ? oldest : this.shares.victim(excess, newest);
  }

  private remove(entry: Entry): void {
    this.entries.splice(this.firstAfter(entry.number - 1), 1);
    this.bytes -= entry.body.length;
    this.shares.remove(entry);
  }
}
