import type { Clock } from "../core/clock";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { HEAD_MS, inboxesFull, inboxFull, NOBODYS, type OpenBus } from "./adapter";
import {
  type Appended,
  ENTRY_BYTES,
  EVERYBODY,
  INBOX_BASE_BYTES,
  INBOX_MS,
  type InboxEntry,
  type InboxPage,
  PAGE_BYTES,
  PAGE_ENTRIES,
  type Share,
  UNREMEMBERED,
} from "./bus";
import { Gone } from "./gone";
import { shortLane } from "./lane";
import { type Listener, Listeners } from "./listeners";
import { LocalInbox } from "./local-inbox";

/** Remembered cursors of emptied inboxes, at most. */
const HEADS = 100_000;

/** What is remembered of an inbox that was emptied. */
interface Head {
  gone: Gone;
  /** When it was emptied. */
  at: number;
}

/**
 * The bus of a node that is alone, in its own memory. A cursor is `epoch.number`: the epoch is this
 * bus, so that a cursor of an earlier process is known as foreign, and numbers count over all inboxes.
 * @param bytesMost of all inboxes together; any when left out
 */
export function openLocalBus(
  clock: Clock,
  log: Log,
  bytesMost = Number.POSITIVE_INFINITY,
): OpenBus {
  return new LocalBus(clock, log, bytesMost);
}

class LocalBus implements OpenBus {
  /** The epoch, as it stands before each number. */
  private readonly prefix = `${newId()}.`;
  private last = 0;
  /** In the order of their last entries, so the one to empty next comes first. */
  private readonly inboxes = new Map<string, LocalInbox>();
  /** In the order that they were emptied. */
  private readonly heads = new Map<string, Head>();
  /** Heads that would be forgotten, of inboxes that somebody listens to: who is here is not told of a gap. */
  private readonly attended = new Map<string, Gone>();
  /** The greatest of the last numbers that are remembered no more. */
  private forgottenTo = 0;
  private readonly listeners: Listeners;
  /** Bytes of all inboxes. */
  private size = 0;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    log: Log,
    private readonly bytesMost: number,
  ) {
    this.listeners = new Listeners(log);
  }

  async append(
    name: string,
    body: string,
    lane: string | typeof UNREMEMBERED = EVERYBODY,
    share: Share = NOBODYS,
  ): Promise<Appended> {
    this.mustBeOpen();
    const now = this.clock.now();
    this.sweep(now);
    const bytes = Buffer.from(body);
    const base = this.inboxes.has(name) ? 0 : INBOX_BASE_BYTES;
    if (this.size + base + ENTRY_BYTES + bytes.length > this.bytesMost) throw inboxesFull();
    const inbox = this.inboxes.get(name) ?? this.begin(name, lane !== UNREMEMBERED);
    this.inboxes.delete(name);
    this.inboxes.set(name, inbox);
    const number = ++this.last;
    const entry = { number, at: now, body: bytes, lane: shortLane(lane ?? EVERYBODY), share };
    const added = this.resize(inbox, () => {
      inbox.expire(now);
      return inbox.add(entry);
    });
    if (!added) throw inboxFull();
    const cursor = `${this.prefix}${number}`;
    this.tell(name, cursor);
    const fullness = this.size / this.bytesMost;
    return { cursor, heard: this.listeners.has(name), fullness };
  }

  async read(name: string, after: string, lanes?: readonly string[]): Promise<InboxPage> {
    this.mustBeOpen();
    const now = this.clock.now();
    this.sweep(now);
    const inbox = this.inboxes.get(name);
    if (inbox) this.resize(inbox, () => inbox.expire(now));
    const number = this.numberOf(after);
    const all = inbox?.entries ?? [];
    const entries: InboxEntry[] = [];
    let at = inbox?.firstAfter(number ?? 0) ?? 0;
    let bytes = 0;
    for (let entry = all[at]; entry; entry = all[++at]) {
      bytes += entry.body.length;
      if (entries.length >= PAGE_ENTRIES || (bytes > PAGE_BYTES && entries.length > 0)) break;
      entries.push({ cursor: `${this.prefix}${entry.number}`, body: entry.body.toString() });
    }
    const complete =
      after === "" ||
      (number !== undefined && this.holds(inbox?.gone ?? this.gone(name), number, lanes));
    const begun = after === "";
    const head = begun ? `${this.prefix}${this.headOf(name)}` : "";
    const trimmed = begun && inbox !== undefined && now - inbox.trimmedAt <= INBOX_MS;
    return { entries, more: at < all.length, head, complete, trimmed };
  }

  async publish(channel: string, message: string): Promise<void> {
    this.mustBeOpen();
    this.tell(channel, message);
  }

  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    this.mustBeOpen();
    const stop = this.listeners.add(channel, listener);
    return async () => {
      const gone = stop() ? this.attended.get(channel) : undefined;
      if (!gone) return;
      this.attended.delete(channel);
      this.forgottenTo = Math.max(this.forgottenTo, gone.to);
    };
  }

  async check(): Promise<void> {
    this.mustBeOpen();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.listeners.clear();
    this.inboxes.clear();
    this.heads.clear();
    this.attended.clear();
  }

  private mustBeOpen(): void {
    if (this.closed) throw new Fault("UNAVAILABLE", "The service is stopping");
  }

  /** After the caller's own step, so that a listener never runs inside of an append. */
  private tell(channel: string, message: string): void {
    queueMicrotask(() => this.listeners.tell(channel, message));
  }

  /** The number that a cursor stands at; undefined for one that this bus never gave. */
  private numberOf(cursor: string): number | undefined {
    if (!cursor.startsWith(this.prefix)) return undefined;
    const text = cursor.slice(this.prefix.length);
    if (!/^\d{1,15}$/.test(text)) return undefined;
    const number = Number(text);
    return number <= this.last ? number : undefined;
  }

  /** An inbox without entries, and what is known of those that it had. */
  private begin(name: string, remembered: boolean): LocalInbox {
    const gone = this.gone(name) ?? new Gone(this.forgottenTo);
    this.heads.delete(name);
    this.attended.delete(name);
    return new LocalInbox(gone, remembered);
  }

  /** Whether nothing of these lanes is gone that stood after a number. */
  private holds(gone: Gone | undefined, number: number, lanes?: readonly string[]): boolean {
    if (number >= (gone?.to ?? this.forgottenTo)) return true;
    return gone !== undefined && lanes !== undefined && gone.passes(number, lanes.map(shortLane));
  }

  /** A number that all entries up to now have reached, and none to come. */
  private headOf(name: string): number {
    const inbox = this.inboxes.get(name);
    const gone = inbox?.gone ?? this.gone(name) ?? new Gone(this.forgottenTo);
    // Who listens goes on from here, however long nothing comes.
    if (!inbox && !this.heads.has(name) && this.listeners.has(name)) this.attended.set(name, gone);
    return inbox?.entries.at(-1)?.number ?? gone.to;
  }

  /** What is remembered of an inbox without entries. */
  private gone(name: string): Gone | undefined {
    return this.heads.get(name)?.gone ?? this.attended.get(name);
  }

  /** Does something to an inbox and counts what all of them hold. */
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
      if (newest && now - newest.at <= INBOX_MS) break;
      this.inboxes.delete(name);
      this.resize(inbox, () => inbox.expire(now));
      if (inbox.remembered) this.heads.set(name, { gone: inbox.gone, at: now });
    }
    for (const [name, { gone, at }] of this.heads) {
      if (now - at <= HEAD_MS && this.heads.size <= HEADS) break;
      this.heads.delete(name);
      if (this.listeners.has(name)) this.attended.set(name, gone);
      else this.forgottenTo = Math.max(this.forgottenTo, gone.to);
    }
  }
}
