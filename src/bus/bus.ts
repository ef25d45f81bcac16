/** What an inbox holds: the signal's text and the place it stands at. */
export interface InboxEntry {
  /** Place in the inbox; later entries compare greater in the adapter's own order. Opaque outside. */
  cursor: string;
  /** What was appended, unchanged. */
  body: string;
}

/** What `read` found. */
export interface InboxPage {
  /** Entries after the cursor, oldest first, at most 500; read again after the last for more. */
  entries: InboxEntry[];
  /**
   * False when entries after the asked cursor may be gone already (older than the time that an inbox
   * is kept, or trimmed because there were too many), or the cursor is of another bus.
   */
  complete: boolean;
}

/** How long an entry can be read after it was appended, in milliseconds. */
export const INBOX_MS = 60_000;

/** How many entries an inbox keeps at most; the oldest go first. */
export const INBOX_ENTRIES = 2_000;

/**
 * How the nodes of one deployment reach each other. An inbox is a short log of one user's signals,
 * kept for {@link INBOX_MS}; a notice is a passing message that reaches who listens now.
 *
 * Appending to an inbox also publishes a notice on the channel of the inbox's name, whose text is the
 * new cursor, once the entry can be read. A subscriber therefore treats a notice as a wake-up and
 * reads after the cursor it stands at: a notice that was lost costs time, never a signal.
 */
export interface Bus {
  /** Writes to an inbox; answers the entry's cursor once it stands there. UNAVAILABLE when it cannot. */
  append(inbox: string, body: string): Promise<string>;

  /** Reads an inbox after a cursor, or all that it still holds after the empty text. */
  read(inbox: string, after: string): Promise<InboxPage>;

  /** Sends a notice to every listener of the channel on every node, this one included. */
  publish(channel: string, message: string): Promise<void>;

  /**
   * Listens to a channel. Resolves once every notice published from then on will arrive; answers how
   * to stop. After a lost connection the adapter listens again by itself and then calls the listener
   * with an empty message, since notices may have been missed.
   */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
}
