import type { Clock } from "../../core/clock";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { inboxesFull, inboxFull, LAST_CURSOR_TTL_MS, type ManagedBus, NO_SENDER } from "./adapter";
import {
  type AppendOptions,
  type AppendResult,
  ENTRY_OVERHEAD_BYTES,
  INBOX_OVERHEAD_BYTES,
  INBOX_TTL_MS,
  type InboxEntry,
  type InboxPage,
  PAGE_BYTES_MAX,
  PAGE_ENTRIES_MAX,
} from "./bus";
import { type Listener, Listeners } from "./listeners";
import { type Entry, LocalInbox } from "./local-inbox";
import { LocalValues } from "./local-values";

/** Maximum number of empty inboxes whose watermark is kept. */
const EMPTY_INBOXES_MAX = 100_000;

/** What is kept of an inbox whose entries have all expired. */
interface EmptyInbox {
  /** Number of its last entry. */
  watermark: number;
  /** When it became empty, in milliseconds since the Unix epoch. */
  at: number;
}

/**
 * The bus of a single node, in its memory. A cursor is `epoch.number`. The epoch identifies this bus, so that
 * a cursor of an earlier process is recognized as foreign. Numbers are counted across all inboxes.
 * @param bytesMax maximum size of all inboxes together, in bytes; unlimited when omitted
 */
export function openLocalBus(
  clock: Clock,
  log: Log,
  bytesMax = Number.POSITIVE_INFINITY,
): ManagedBus {
  return new LocalBus(clock, log, bytesMax);
}

class LocalBus implements ManagedBus {
  /** The part of a cursor in front of its number. */
  private readonly prefix = `${newId()}.`;
  private lastNumber = 0;
  /** In the order of their last entries, so that the first one expires first. */
  private readonly inboxes = new Map<string, LocalInbox>();
  /** In the order in which they became empty. */
  private readonly emptyInboxes = new Map<string, EmptyInbox>();
  /** Watermarks kept beyond their TTL while the inbox has a subscriber, which must not see a false gap. */
  private readonly subscribedWatermarks = new Map<string, number>();
  /** The highest watermark that was dropped. */
  private droppedWatermark = 0;
  readonly values: LocalValues;
  private readonly listeners: Listeners;
  /** Size of all inboxes in bytes. */
  private size = 0;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    log: Log,
    private readonly bytesMax: number,
  ) {
    this.listeners = new Listeners(log);
    this.values = new LocalValues(clock, () => this.mustBeOpen());
  }

  async append(
    name: string,
    body: string,
    options: AppendOptions = NO_SENDER,
  ): Promise<AppendResult> {
    this.mustBeOpen();
    const now = this.clock.now();
    this.sweep(now);
    const bytes = Buffer.from(body);
    const base = this.inboxes.has(name) ? 0 : INBOX_OVERHEAD_BYTES;
    if (this.size + base + ENTRY_OVERHEAD_BYTES + bytes.length > this.bytesMax) throw inboxesFull();
    const inbox = this.inboxes.get(name) ?? this.create(name);
    this.inboxes.delete(name);
    this.inboxes.set(name, inbox);
    const number = ++this.lastNumber;
    const entry: Entry = { number, at: now, body: bytes, options };
    const added = this.resize(inbox, () => {
      inbox.expire(now);
      return inbox.add(entry);
    });
    if (!added) throw inboxFull();
    const cursor = `${this.prefix}${number}`;
    this.dispatch(name, cursor);
    const usage = this.size / this.bytesMax;
    return { cursor, hasSubscribers: this.listeners.has(name), usage };
  }

  async read(name: string, after: string): Promise<InboxPage> {
    this.mustBeOpen();
    const now = this.clock.now();
    this.sweep(now);
    const inbox = this.inboxes.get(name);
    if (inbox) this.resize(inbox, () => inbox.expire(now));
    const number = this.numberOf(after);
    const all = inbox?.entries ?? [];
    const entries: InboxEntry[] = [];
    let index = inbox?.firstAfter(number ?? 0) ?? 0;
    let bytes = 0;
    for (let entry = all[index]; entry; entry = all[++index]) {
      bytes += entry.body.length;
      if (entries.length >= PAGE_ENTRIES_MAX || (bytes > PAGE_BYTES_MAX && entries.length > 0))
        break;
      entries.push({ cursor: `${this.prefix}${entry.number}`, body: entry.body.toString() });
    }
    const fromStart = after === "";
    const complete = fromStart || (number !== undefined && number >= this.watermarkOf(name));
    const lastCursor = fromStart ? `${this.prefix}${this.lastNumberOf(name)}` : "";
    const priorityEvicted =
      fromStart && inbox !== undefined && now - inbox.priorityEvictedAt <= INBOX_TTL_MS;
    return { entries, more: index < all.length, lastCursor, complete, priorityEvicted };
  }

  async haveSubscribers(inboxes: readonly string[]): Promise<boolean[]> {
    this.mustBeOpen();
    return inboxes.map((name) => this.listeners.has(name));
  }

  async publish(channel: string, message: string): Promise<void> {
    this.mustBeOpen();
    this.dispatch(channel, message);
  }

  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    this.mustBeOpen();
    const stop = this.listeners.add(channel, listener);
    return async () => {
      const watermark = stop() ? this.subscribedWatermarks.get(channel) : undefined;
      if (!watermark) return;
      this.subscribedWatermarks.delete(channel);
      this.droppedWatermark = Math.max(this.droppedWatermark, watermark);
    };
  }

  async check(): Promise<void> {
    this.mustBeOpen();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.listeners.clear();
    this.inboxes.clear();
    this.emptyInboxes.clear();
    this.subscribedWatermarks.clear();
    this.values.clear();
  }

  private mustBeOpen(): void {
    if (this.closed) throw new Fault("UNAVAILABLE", "The service is stopping");
  }

  /** Calls listeners in a microtask, so that none runs inside `append`. */
  private dispatch(channel: string, message: string): void {
    queueMicrotask(() => this.listeners.dispatch(channel, message));
  }

  /** The number of a cursor; undefined if this bus did not create it. */
  private numberOf(cursor: string): number | undefined {
    if (!cursor.startsWith(this.prefix)) return undefined;
    const text = cursor.slice(this.prefix.length);
    if (!/^\d{1,15}$/.test(text)) return undefined;
    const number = Number(text);
    return number <= this.lastNumber ? number : undefined;
  }

  /** Creates an empty inbox with the watermark of its predecessor. */
  private create(name: string): LocalInbox {
    const inbox = new LocalInbox(this.watermarkOf(name));
    this.emptyInboxes.delete(name);
    this.subscribedWatermarks.delete(name);
    return inbox;
  }

  /** The number of an inbox's last entry, whether or not that is gone. */
  private lastNumberOf(name: string): number {
    const last = this.inboxes.get(name)?.entries.at(-1);
    if (last) return last.number;
    const watermark = this.watermarkOf(name);
    // A subscriber reads on from here, however long the inbox stays empty.
    if (!this.inboxes.has(name) && !this.emptyInboxes.has(name) && this.listeners.has(name)) {
      this.subscribedWatermarks.set(name, watermark);
    }
    return watermark;
  }

  /** The number of the last entry of an inbox that is gone, or a higher one if that is no longer known. */
  private watermarkOf(name: string): number {
    return (
      this.inboxes.get(name)?.watermark ??
      this.emptyInboxes.get(name)?.watermark ??
      this.subscribedWatermarks.get(name) ??
      this.droppedWatermark
    );
  }

  /** Changes an inbox and updates the size of all inboxes. */
  private resize<T>(inbox: LocalInbox, act: () => T): T {
    this.size -= inbox.size;
    try {
      return act();
    } finally {
      this.size += inbox.size;
    }
  }

  private sweep(now: number): void {
    for (const [name, inbox] of this.inboxes) {
      const newest = inbox.entries.at(-1);
      if (newest && now - newest.at <= INBOX_TTL_MS) break;
      this.inboxes.delete(name);
      this.resize(inbox, () => inbox.expire(now));
      this.emptyInboxes.set(name, { watermark: inbox.watermark, at: now });
    }
    for (const [name, { watermark, at }] of this.emptyInboxes) {
      if (now - at <= LAST_CURSOR_TTL_MS && this.emptyInboxes.size <= EMPTY_INBOXES_MAX) break;
      this.emptyInboxes.delete(name);
      if (this.listeners.has(name)) this.subscribedWatermarks.set(name, watermark);
      else this.droppedWatermark = Math.max(this.droppedWatermark, watermark);
    }
  }
}
