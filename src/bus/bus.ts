/** What an inbox holds: the signal's text and the place it stands at. */
export interface InboxEntry {
  /** Place in the inbox; later entries compare greater in the adapter's own order. Opaque outside. */
  cursor: string;
  /** What was appended, unchanged. */
  body: string;
}

/** What `append` did. */
export interface Appended {
  /** Place of the entry. */
  cursor: string;
  /** Whether anybody listens to the inbox now, on whichever node. */
  heard: boolean;
  /** How full all inboxes are together, from 0 to 1; 0 where they may be as large as they like. */
  fullness: number;
}

/** Who an entry is of, and how long it stays when its inbox is full. */
export interface Share {
  /** Whose share of the inbox it counts against: a short name without blanks. */
  sender: string;
  /** Whether it goes after all others of the sender that do not. */
  lasting: boolean;
}

/** What `read` found. */
export interface InboxPage {
  /** Entries after the cursor, oldest first: at most {@link PAGE_ENTRIES}, of {@link PAGE_BYTES} unless it is one. */
  entries: InboxEntry[];
  /** Whether more stands after them; read on after the last. */
  more: boolean;
  /**
   * Where an inbox was read from its beginning: cursor of its last entry, whether or not that is gone.
   * Empty where none is known, and otherwise.
   */
  head: string;
  /**
   * False when entries after the asked cursor may be gone already (older than the time that an inbox
   * is kept, or trimmed because there was too much), or the cursor is of another bus. Where lanes were
   * asked for, entries of these alone count.
   */
  complete: boolean;
  /**
   * Where an inbox was read from its beginning: whether a lasting entry was taken out of it within its
   * time, since there was too much. False otherwise.
   */
  trimmed: boolean;
}

/** Lane of the entries for everybody. */
export const EVERYBODY = "";

/**
 * In place of a lane: for a log that is always read from its beginning. Nothing is remembered of it
 * once its entries are gone, so no cursor of it can be gone on from.
 */
export const UNREMEMBERED = null;

/** How long an entry can be read after it was appended, in milliseconds. */
export const INBOX_MS = 60_000;

/** How many entries an inbox keeps at most. */
export const INBOX_ENTRIES = 2_000;

/** How many bytes (in UTF-8) its bodies have together at most; one alone may have more. */
export const INBOX_BYTES = 8_388_608;

/** Bytes that an entry counts for beside its body, where all inboxes are bounded together. */
export const ENTRY_BYTES = 512;

/** Bytes that an inbox counts for there beside its entries; what Redis takes for the smallest one. */
export const INBOX_BASE_BYTES = 4_096;

/** Entries of one page that `read` answers, at most. */
export const PAGE_ENTRIES = 500;

/** Bytes (in UTF-8) of the bodies of one page together, at most; a longer body is a page by itself. */
export const PAGE_BYTES = 262_144;

/**
 * Lanes of an inbox that are told apart beside {@link EVERYBODY}, at most. What stood in one that was
 * longest unused counts as gone for every reader of a lane that is not told apart.
 */
export const INBOX_LANES = 16;

/**
 * How the nodes of one deployment reach each other. An inbox is a short log of one user's signals,
 * kept for {@link INBOX_MS}; a notice is a passing message that reaches who listens now.
 *
 * Entries stand in lanes, by whom they concern, so that a reader can tell whether something that
 * concerns it is gone: `read` hands out the entries of all lanes, and judges by those that it is told.
 *
 * Where an inbox has more than {@link INBOX_ENTRIES} or {@link INBOX_BYTES}, the sender who holds most of what
 * is too much makes room: its oldest entries go, the lasting ones last. So nobody loses anything to others who
 * holds no more than an equal share. Who would have to make room for its own entry with one that lasts longer,
 * or has nothing to make room with, is refused. An entry of no sender takes the place of the oldest of all.
 *
 * Appending to an inbox also publishes a notice on the channel of the inbox's name, whose text is the
 * new cursor, once the entry can be read. A subscriber therefore treats a notice as a wake-up and
 * reads after the cursor it stands at: a notice that was lost costs time, never a signal.
 */
export interface Bus {
  /**
   * Writes to an inbox; answers once the entry stands there.
   * @param lane whom the entry concerns, by any name; {@link EVERYBODY} when left out
   * @param share whose it is; nobody's when left out
   * @throws Fault LIMITED when the inbox is full of what others hold by right, UNAVAILABLE when all inboxes
   * together are full or the bus cannot be reached
   */
  append(
    inbox: string,
    body: string,
    lane?: string | typeof UNREMEMBERED,
    share?: Share,
  ): Promise<Appended>;

  /**
   * Reads an inbox after a cursor, or all that it still holds after the empty text.
   * @param lanes whose entries must not be missing; those of all when left out
   */
  read(inbox: string, after: string, lanes?: readonly string[]): Promise<InboxPage>;

  /** Sends a notice to every listener of the channel on every node, this one included. */
  publish(channel: string, message: string): Promise<void>;

  /**
   * Listens to a channel. Resolves once every notice published from then on will arrive; answers how
   * to stop. After a lost connection the adapter listens again by itself and then calls the listener
   * with an empty message, since notices may have been missed.
   */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
}
