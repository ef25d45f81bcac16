import type { Values } from "./values";

/** One entry of an inbox. */
export interface InboxEntry {
  /** Position in the inbox. Later entries compare greater in the adapter's own order; opaque to callers. */
  cursor: string;
  /** The appended body, unchanged. */
  body: string;
}

/** The result of `append`. */
export interface AppendResult {
  /** Position of the entry. */
  cursor: string;
  /** Whether the inbox has a subscriber now, on any node. */
  hasSubscribers: boolean;
  /** How full all inboxes are together, from 0 to 1; 0 without a limit. */
  usage: number;
}

/** The sender that an entry counts against, and its priority when the inbox is full. */
export interface AppendOptions {
  /** Name of the sender, short and without blanks. */
  sender: string;
  /** Whether the entry is evicted only after the sender's entries without priority. */
  highPriority: boolean;
}

/** The result of `read`. */
export interface InboxPage {
  /**
   * Entries after the cursor, oldest first: up to {@link PAGE_ENTRIES_MAX}, and up to {@link PAGE_BYTES_MAX} unless a
   * single entry is larger.
   */
  entries: InboxEntry[];
  /** Whether more entries follow; read on after the last one. */
  more: boolean;
  /**
   * For a read from the beginning: cursor of the inbox's last entry, even if that entry is gone. Empty if it
   * is unknown, and for any other read.
   */
  lastCursor: string;
  /**
   * False when an entry after the given cursor may be gone (expired or evicted), or when the cursor belongs to
   * another bus.
   */
  complete: boolean;
  /**
   * For a read from the beginning: whether a high-priority entry was evicted within its TTL. False for any
   * other read.
   */
  priorityEvicted: boolean;
}

/** How long an entry of an inbox can be read after it was appended, in milliseconds. */
export const INBOX_TTL_MS = 60_000;

/** Maximum number of entries in an inbox. */
export const INBOX_ENTRIES_MAX = 2_000;

/** Maximum size of all bodies in an inbox, in bytes of UTF-8. A single larger body is accepted. */
export const INBOX_BYTES_MAX = 8_388_608;

/** Overhead of an entry in the size of all inboxes, in bytes. */
export const ENTRY_OVERHEAD_BYTES = 512;

/** Overhead of an inbox in the size of all inboxes, in bytes: what Redis needs for the smallest one. */
export const INBOX_OVERHEAD_BYTES = 4_096;

/** Maximum number of entries that `read` returns at once. */
export const PAGE_ENTRIES_MAX = 500;

/** Maximum size of the bodies of one page, in bytes of UTF-8. A longer body is a page of its own. */
export const PAGE_BYTES_MAX = 262_144;

/**
 * How the nodes of one deployment communicate. An inbox is a short log of one user's signals with a TTL of
 * {@link INBOX_TTL_MS}. A notice is a pub/sub message: it is not stored, and reaches
 * the current subscribers of a channel.
 * docs/INBOX.md shows how these and the values work together.
 *
 * When an inbox exceeds {@link INBOX_ENTRIES_MAX} or {@link INBOX_BYTES_MAX}, the sender with the largest share of it
 * makes room: its oldest entries are evicted, those with high priority last. A sender within an equal share
 * therefore never loses an entry to others. An append is refused if its sender would have to evict an entry
 * of higher priority or has none to evict. An entry without a sender evicts the oldest entry of the inbox.
 *
 * Appending to an inbox also publishes a notice on the channel of the same name, once the entry can be read.
 * The text of the notice is the new cursor. A subscriber treats it as a wake-up and reads after its own
 * cursor, so a lost notice causes a delay, never a lost signal.
 */
export interface Bus {
  /** The short texts that all nodes share. */
  readonly values: Values;

  /**
   * Appends to an inbox. Resolves once the entry can be read.
   * @param options sender and priority of the entry; no sender when omitted
   * @throws Fault LIMITED when the inbox is full and the sender has nothing to evict, UNAVAILABLE when all
   * inboxes together are full or the bus cannot be reached
   */
  append(inbox: string, body: string, options?: AppendOptions): Promise<AppendResult>;

  /** Reads an inbox after a cursor, or from its beginning if the cursor is empty. */
  read(inbox: string, after: string): Promise<InboxPage>;

  /**
   * Tells which inboxes have a subscriber now, on any node, in their order. While nodes subscribe again after Redis has
   * restarted, an inbox may seem to have none.
   */
  haveSubscribers(inboxes: readonly string[]): Promise<boolean[]>;

  /** Publishes a notice to every subscriber of the channel on every node, including this one. */
  publish(channel: string, message: string): Promise<void>;

  /**
   * Subscribes to a channel. Resolves with a function that unsubscribes, once every later notice is certain
   * to arrive. After a lost connection the adapter resubscribes by itself and calls the listener with an
   * empty message, since notices may have been missed.
   */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
}
