import type { Bus, InboxEntry } from "../../bus/bus";
import { decodeContent, type InboxContent } from "./inbox-entry";

/** A decoded entry of an inbox. */
export interface DecodedEntry {
  cursor: string;
  content: InboxContent;
}

/** A page of an inbox, in order. */
export interface DecodedPage {
  entries: DecodedEntry[];
  /** See `InboxPage`. */
  complete: boolean;
  /** See `InboxPage`. */
  more: boolean;
}

/** The result of reading a whole inbox. */
export interface InboxEnd {
  /** Cursor of its last entry, even if that is gone; empty if unknown. */
  lastCursor: string;
  /** See `InboxPage`. */
  priorityEvicted: boolean;
}

/** Reads one page of an inbox after a cursor (see `Bus.read`). @throws Fault UNAVAILABLE */
export async function readInboxPage(bus: Bus, inbox: string, after: string): Promise<DecodedPage> {
  const { entries, complete, more } = await bus.read(inbox, after);
  return { entries: entries.map(decodeEntry), complete, more };
}

/**
 * Reads a whole inbox page by page, so that it is never in memory at once.
 * @param take called for each entry
 * @throws Fault UNAVAILABLE
 */
export async function readInbox(
  bus: Bus,
  inbox: string,
  take: (entry: DecodedEntry) => void,
): Promise<InboxEnd> {
  let lastCursor = "";
  let priorityEvicted = false;
  for (;;) {
    const page = await bus.read(inbox, lastCursor);
    for (const entry of page.entries) take(decodeEntry(entry));
    priorityEvicted ||= page.priorityEvicted;
    lastCursor = page.entries.at(-1)?.cursor ?? (lastCursor || page.lastCursor);
    if (!page.more) return { lastCursor, priorityEvicted };
  }
}

function decodeEntry({ cursor, body }: InboxEntry): DecodedEntry {
  return { cursor, content: decodeContent(body) };
}
