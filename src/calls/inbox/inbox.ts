import { Fault } from "../../core/errors";
import type { Attachment, Device, Start } from "../device";
import { Acknowledgements } from "./acknowledgements";
import { Arrivals } from "./arrivals";
import { lanesOf } from "./lanes";
import { readPage } from "./log";
import { type Mark, writeMark } from "./mark";
import { type Backlog, Reader, type ReaderParts } from "./reader";
import { Seat } from "./seat";

/** Chat streams and subscriptions of one user on a node, at most. */
export const SEATS = 256;
/** Seconds after which a device for which there was no seat may try again. */
const TRY_AGAIN_S = 10;

interface InboxParts extends ReaderParts {
  /** This node's own id, to tell its notices from others'. */
  node: string;
  onEmpty(): void;
}

/** A notice on a user's channel that is no wake-up. */
type Notice = { xml: string; resource?: string } | { bound: string; node: string };

/** Where a device begins. */
interface Place {
  /** Cursor before the first thing that it is handed. */
  origin: string;
  /** Cursor that it goes on after. */
  cursor: string;
  /** What stands there already and may be for it; nothing when left out. */
  backlog?: Backlog;
  /** Whether calls may ring that are gone from the inbox. */
  trimmed?: boolean;
}

/**
 * One user's inbox as this node reads it while the user has devices here, with one subscription for
 * all of them. Notices only wake it; what it hands out it has read from the inbox.
 */
export class Inbox {
  private readonly seats = new Map<Device, Seat>();
  private readonly reader: Reader;
  private readonly arrivals: Arrivals;
  private opening: Promise<() => Promise<void>> | null = null;
  private count = 0;

  constructor(private readonly parts: InboxParts) {
    this.reader = new Reader(parts, () => this.seats.values());
    this.arrivals = new Arrivals(parts.bus, parts.name);
  }

  /** See Router.attach. */
  async attach(device: Device, start?: Start): Promise<Attachment> {
    if (this.seats.size >= SEATS) {
      const message = `A user has at most ${SEATS} chat streams and subscriptions here`;
      throw new Fault("LIMITED", message, undefined, TRY_AGAIN_S);
    }
    const seat = new Seat(device, ++this.count);
    this.seats.set(device, seat);
    const { resource } = device.party;
    try {
      // Subscribed first, then placed: nothing falls between the two.
      await this.open();
      const { origin, cursor, backlog, trimmed } = await this.place(device, start);
      if (trimmed) device.missed?.();
      if (device.door === "xmpp") await this.claim(resource, seat.id);
      seat.cursor = cursor;
      seat.live = !backlog;
      if (backlog) setImmediate(() => void this.reader.catchUp(seat, backlog));
      else void this.reader.wake();
      return this.attachment(seat, origin);
    } catch (error) {
      await this.detach(seat);
      throw error;
    }
  }

  /** Closes every device here. */
  closeAll(reason: "draining"): void {
    for (const device of [...this.seats.keys()]) device.close(reason);
  }

  private attachment(seat: Seat, origin: string): Attachment {
    const { party } = seat.device;
    const acknowledgements = new Acknowledgements(party.resource, origin, async (mark: Mark) => {
      try {
        await writeMark(this.parts.bus, party, mark);
        return true;
      } catch (error) {
        const level = error instanceof Fault ? "info" : "warn";
        this.parts.log[level]({ err: error }, "what a device has acknowledged was not written");
        return false;
      }
    });
    return {
      acknowledge: (cursor) => acknowledgements.note(cursor),
      detach: async () => {
        await Promise.all([this.detach(seat), acknowledgements.end()]);
      },
    };
  }

  private async open(): Promise<void> {
    const { bus, name } = this.parts;
    this.opening ??= bus.subscribe(name, (message) => this.hear(message));
    try {
      await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  private async place(device: Device, start: Start | undefined): Promise<Place> {
    if (start && "after" in start) return this.placeAfter(device, start.after);
    const { story, cursors, end: promised, trimmed } = await this.arrivals.read();
    if (start) {
      const position = story.position(start.resumed) ?? "";
      return { origin: position, cursor: position, backlog: { promised } };
    }
    const calls = story.ringing(device.party.resource);
    if (!calls[0]) return { origin: promised, cursor: promised, trimmed };
    // Of what stands there it is owed the calls that ring, which it is handed as it takes them.
    const ringing = new Set(calls.map(({ cursor }) => cursor));
    const owes = (cursor: string) => ringing.has(cursor) || !cursors.has(cursor);
    const { before } = calls[0];
    return { origin: before, cursor: before, backlog: { promised, owes }, trimmed };
  }

  private async placeAfter(device: Device, after: string): Promise<Place> {
    const { bus, name } = this.parts;
    const page = await readPage(bus, name, after, lanesOf(device));
    if (after === "" || !page.complete) throw notToGoOnFrom();
    const place = { origin: after, cursor: after };
    return page.entries.length > 0 ? { ...place, backlog: { promised: after, page } } : place;
  }

  private async detach(seat: Seat): Promise<void> {
    seat.gone = true;
    if (!this.seats.delete(seat.device) || this.seats.size > 0) return;
    this.parts.onEmpty();
    const unsubscribe = await this.opening?.catch(() => undefined);
    await unsubscribe?.();
  }

  private hear(message: string): void {
    if (!message.startsWith("{")) {
      void this.reader.wake();
      return;
    }
    const notice = JSON.parse(message) as Notice;
    if ("bound" in notice) {
      if (notice.node !== this.parts.node) this.replace(notice.bound, Number.POSITIVE_INFINITY);
      return;
    }
    const { xml, resource } = notice;
    for (const { device } of [...this.seats.values()]) {
      const meant = resource === undefined || resource === device.party.resource;
      if (meant) device.receive({ kind: "stanza", xml });
    }
  }

  /**
   * Closes chat streams of a resource that were bound before the device of this id, here and on the
   * other nodes (RFC 6120 section 7.7.2.2). Subscribers of one session live side by side.
   */
  private async claim(resource: string, id: number): Promise<void> {
    this.replace(resource, id);
    const notice: Notice = { bound: resource, node: this.parts.node };
    await this.parts.bus.publish(this.parts.name, JSON.stringify(notice));
  }

  private replace(resource: string, id: number): void {
    for (const seat of [...this.seats.values()]) {
      const same = seat.device.door === "xmpp" && seat.device.party.resource === resource;
      if (same && seat.id < id) seat.device.close("replaced");
    }
  }
}

function notToGoOnFrom(): Fault {
  const message = "is no place to go on from: signals after it may be gone. Begin anew without it";
  return Fault.field("after", message);
}
