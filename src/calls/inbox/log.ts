import type { Bus, InboxEntry } from "../../bus/bus";
import { type Content, readContent } from "./mark";

/** A decoded entry of an inbox. */
export interface LogEntry {
  cursor: string;
  content: Content;
}

/** A page of an inbox, in order. */
export interface LogPage {
  entries: LogEntry[];
  /** See `InboxPage`. */
  complete: boolean;
  /** See `InboxPage`. */
  more: boolean;
}

/** The result of reading a whole inbox. */
export interface LogEnd {
  /** Cursor of its last entry, even if that is gone; empty if unknown. */
  end: string;
  /** See `InboxPage`. */
  trimmed: boolean;
}

/** Reads one page of an inbox after a cursor (see `Bus.read`). @throws Fault UNAVAILABLE */
export async function readPage(
  bus: Bus,
  inbox: string,
  after: string,
  lanes?: readonly string[],
): Promise<LogPage> {
  const { entries, complete, more } = await bus.read(inbox, after, lanes);
  return { entries: entries.map(decodeEntry), complete, more };
}

/**
 * Reads a whole inbox page by page, so that it is never in memory at once.
 * @param take called for each entry
 * @throws Fault UNAVAILABLE
 */
export async function readLog(
  bus: Bus,
  inbox: string,
  take: (entry: LogEntry) => void,
): Promise<LogEnd> {
  let lastCursor = "";
  let trimmed = false;
  for (;;) {
    const page = await bus.read(inbox, lastCursor);
    for (const entry of page.entries) take(decodeEntry(entry));
    trimmed ||= page.trimmed;
    lastCursor = page.entries.at(-1)?.cursor ?? (lastCursor || page.head);
    if (!page.more) return { end: lastCursor, trimmed };
  }
}

function decodeEntry({ cursor, body }: InboxEntry): LogEntry {
  return { cursor, content: readContent(body) };
}
