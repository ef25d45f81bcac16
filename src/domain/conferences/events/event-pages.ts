import type { Bus } from "../../../platform/bus/bus";
import type { ConferenceEvent } from "../model/conference-event";
import { inboxOfConference } from "./event-log";

/**
 * Maximum number of pages that are kept for other subscribers: those who wait for the next event are at one position,
 * and those who have just read at most at the one before.
 */
const PAGES_MAX = 2;

/** A page of the inbox with parsed events, which subscribers share and must not change. */
export interface EventPage {
  /** Empty unless `complete`. */
  entries: { cursor: string; event: ConferenceEvent }[];
  complete: boolean;
  more: boolean;
}

/** Reads the events of one conference. Subscribers at the same position share a read until the next notice. */
export class EventPages {
  private readonly pages = new Map<string, Promise<EventPage>>();

  constructor(
    private readonly bus: Pick<Bus, "read">,
    private readonly conferenceId: number,
  ) {}

  /** Number of pages that are kept. */
  get size(): number {
    return this.pages.size;
  }

  /** A page after a position that subscribers may share. */
  shared(after: string): Promise<EventPage> {
    const known = this.pages.get(after);
    if (known) return known;
    const reading = this.read(after);
    this.pages.set(after, reading);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= PAGES_MAX) break;
      this.pages.delete(oldest);
    }
    reading.catch(() => this.pages.delete(after));
    return reading;
  }

  /** Whether no event after a position that a client names is missing. The page is not kept: it is the client's choice. */
  async isComplete(after: string): Promise<boolean> {
    return (await this.bus.read(inboxOfConference(this.conferenceId), after)).complete;
  }

  /** Forgets what was read before new events. */
  clear(): void {
    this.pages.clear();
  }

  /** Parses once for all subscribers: an offer to one of them has many kilobytes. */
  private async read(after: string): Promise<EventPage> {
    const inbox = inboxOfConference(this.conferenceId);
    const { entries, complete, more } = await this.bus.read(inbox, after);
    // Nobody gets the events of a page with a gap, which a snapshot replaces.
    if (!complete) return { entries: [], complete, more };
    const parsed = entries.map(({ cursor, body }) => ({
      cursor,
      event: JSON.parse(body) as ConferenceEvent,
    }));
    return { entries: parsed, complete, more };
  }
}
