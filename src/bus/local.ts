import type { Clock } from "../core/clock";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { HEAD_MS, type OpenBus, PAGE_ENTRIES } from "./adapter";
import { INBOX_ENTRIES, INBOX_MS, type InboxPage } from "./bus";
import { type Listener, Listeners } from "./listeners";

/** Remembered cursors of emptied inboxes, at most. */
const HEADS = 100_000;

interface Entry {
  number: number;
  /** When it was appended, in milliseconds since the epoch. */
  at: number;
  body: string;
}

interface Inbox {
  entries: Entry[];
  /** Number of the last entry that is gone from here. */
  goneTo: number;
}

/**
 * The bus of a node that is alone, in its own memory. A cursor is `epoch.number`: the epoch is this
 * bus, so that a cursor of an earlier process is known as foreign, and numbers count over all inboxes.
 */
export function openLocalBus(clock: Clock, log: Log): OpenBus {
  return new LocalBus(clock, log);
}

class LocalBus implements OpenBus {
  private readonly epoch = newId();
  private last = 0;
  /** In the order of their last entries, so the one to empty next comes first. */
  private readonly inboxes = new Map<string, Inbox>();
  /** Last numbers of the inboxes that were emptied, and when, in that order. */
  private readonly heads = new Map<string, { number: number; at: number }>();
  /** The greatest of the last numbers that are remembered no more. */
  private forgottenTo = 0;
  private readonly listeners: Listeners;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    log: Log,
  ) {
    this.listeners = new Listeners(log);
  }

  async append(name: string, body: string): Promise<string> {
    this.mustBeOpen();
    const now = this.clock.now();
    this.sweep(now);
    const inbox = this.inboxes.get(name) ?? { entries: [], goneTo: this.head(name) };
    this.inboxes.delete(name);
    this.inboxes.set(name, inbox);
    this.heads.delete(name);
    const number = ++this.last;
    inbox.entries.push({ number, at: now, body });
    trim(inbox, now);
    const cursor = `${this.epoch}.${number}`;
    this.tell(name, cursor);
    return cursor;
  }

  async read(name: string, after: string): Promise<InboxPage> {
    this.mustBeOpen();
    const now = this.clock.now();
    this.sweep(now);
    const inbox = this.inboxes.get(name);
    if (inbox) trim(inbox, now);
    const goneTo = inbox?.goneTo ?? this.head(name);
    const number = this.numberOf(after);
    const entries = (inbox?.entries ?? [])
      .filter((entry) => entry.number > (number ?? 0))
      .slice(0, PAGE_ENTRIES)
      .map((entry) => ({ cursor: `${this.epoch}.${entry.number}`, body: entry.body }));
    return { entries, complete: after === "" || (number !== undefined && number >= goneTo) };
  }

  async publish(channel: string, message: string): Promise<void> {
    this.mustBeOpen();
    this.tell(channel, message);
  }

  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    this.mustBeOpen();
    const stop = this.listeners.add(channel, listener);
    return async () => {
      stop();
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
    const [epoch, text = "", ...rest] = cursor.split(".");
    if (epoch !== this.epoch || rest.length > 0 || !/^\d{1,15}$/.test(text)) return undefined;
    const number = Number(text);
    return number <= this.last ? number : undefined;
  }

  /** The last number of an inbox without entries, or as much as is known of it. */
  private head(name: string): number {
    return this.heads.get(name)?.number ?? this.forgottenTo;
  }

  private sweep(now: number): void {
    for (const [name, inbox] of this.inboxes) {
      const newest = inbox.entries.at(-1);
      if (newest && now - newest.at <= INBOX_MS) break;
      this.inboxes.delete(name);
      this.heads.set(name, { number: newest?.number ?? inbox.goneTo, at: now });
    }
    for (const [name, { number, at }] of this.heads) {
      if (now - at <= HEAD_MS && this.heads.size <= HEADS) break;
      this.heads.delete(name);
      this.forgottenTo = Math.max(this.forgottenTo, number);
    }
  }
}

/** Takes away what is too old and what is too much. */
function trim(inbox: Inbox, now: number): void {
  const { entries } = inbox;
  let gone = Math.max(0, entries.length - INBOX_ENTRIES);
  for (let entry = entries[gone]; entry && now - entry.at > INBOX_MS; entry = entries[gone]) gone++;
  const last = entries[gone - 1];
  if (!last) return;
  inbox.goneTo = last.number;
  entries.splice(0, gone);
}
