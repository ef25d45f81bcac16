import type { Bus, InboxEntry } from "../../bus/bus";
import { type Content, readContent } from "./mark";

/** An entry of an inbox, read. */
export interface LogEntry {
  cursor: string;
  content: Content;
}

/** Some entries of an inbox, in order. */
export interface LogPage {
  entries: LogEntry[];
  /** See `InboxPage`. */
  complete: boolean;
  /** See `InboxPage`. */
  more: boolean;
}

/** What is told of an inbox that was read whole. */
export interface LogEnd {
  /** Cursor of its last entry, whether or not that is gone; empty where none is known. */
  end: string;
  /** See `InboxPage`. */
  trimmed: boolean;
}

/** Reads one page of an inbox after a cursor, as `Bus.read`. @throws Fault UNAVAILABLE */
export async function readPage(
  bus: Bus,
  inbox: string,
  after: string,
  lanes?: readonly string[],
): Promise<LogPage> {
  const { entries, complete, more } = await bus.read(inbox, after, lanes);
  return { entries: entries.map(readEntry), complete, more };
}

/**
 * Reads all that an inbox still holds, a minute of one user's signals, and hands it on page by page,
 * so that it is never in memory whole.
 * @throws Fault UNAVAILABLE
 */
export async function readLog(
  bus: Bus,
  inbox: string,
  take: (entry: LogEntry) => void,
): Promise<LogEnd> {
  let end = "";
  let trimmed = false;
  for (;;) {
    const page = await bus.read(inbox, end);
    for (const entry of page.entries) take(readEntry(entry));
    trimmed ||= page.trimmed;
    end = page.entries.at(-1)?.cursor ?? (end || page.head);
    if (!page.more) return { end, trimmed };
  }
}

function readEntry({ cursor, body }: InboxEntry): LogEntry {
  return { cursor, content: readContent(body) };
}
