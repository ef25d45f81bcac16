import type { Bus } from "../bus/bus";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import type { Device, Parcel } from "./device";
import type { Signal } from "./signal";

interface InboxParts {
  bus: Bus;
  log: Log;
  metrics: Metrics;
  name: string;
  /** This node's own id, to tell its notices from others'. */
  node: string;
  onEmpty(): void;
}

/** A notice on a user's channel that is no wake-up. */
type Notice = { xml: string; resource?: string } | { bound: string; node: string };

/**
 * One user's inbox as this node reads it while the user has devices here: one subscription and one
 * cursor for all of them. Notices only wake it; what it hands out it has read from the inbox.
 */
export class Inbox {
  private readonly devices = new Map<Device, number>();
  private opening: Promise<void> | null = null;
  private unsubscribe: (() => Promise<void>) | null = null;
  private cursor = "";
  /** Whether the cursor stands at the end of what there was before the first device. */
  private placed = false;
  private reading = false;
  private again = false;
  private count = 0;

  constructor(private readonly parts: InboxParts) {}

  /** See Router.attach. */
  async attach(device: Device): Promise<() => Promise<void>> {
    const id = ++this.count;
    this.devices.set(device, id);
    const { resource } = device.party;
    try {
      this.opening ??= this.open();
      await this.opening;
      if (device.door === "xmpp") await this.claim(resource, id);
    } catch (error) {
      await this.detach(device);
      throw error;
    }
    return () => this.detach(device);
  }

  /** Closes every device here. */
  closeAll(reason: "draining"): void {
    for (const device of [...this.devices.keys()]) device.close(reason);
  }

  private async open(): Promise<void> {
    const { bus, name } = this.parts;
    try {
      this.unsubscribe = await bus.subscribe(name, (message) => this.hear(message));
      // Subscribed first, then placed at the end: nothing falls between the two.
      for (;;) {
        const { entries } = await bus.read(name, this.cursor);
        const last = entries.at(-1);
        if (last === undefined) break;
        this.cursor = last.cursor;
      }
      this.placed = true;
      if (this.again) void this.wake();
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  private async detach(device: Device): Promise<void> {
    if (!this.devices.delete(device) || this.devices.size > 0) return;
    this.parts.onEmpty();
    await this.unsubscribe?.();
  }

  private hear(message: string): void {
    if (!message.startsWith("{")) {
      void this.wake();
      return;
    }
    const notice = JSON.parse(message) as Notice;
    if ("xml" in notice) {
      for (const device of [...this.devices.keys()]) {
        if (meant(device, notice.resource)) device.receive({ kind: "stanza", xml: notice.xml });
      }
    } else if (notice.node !== this.parts.node) {
      this.replace(notice.bound, Number.POSITIVE_INFINITY);
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
    for (const [device, other] of [...this.devices]) {
      const same = device.door === "xmpp" && device.party.resource === resource;
      if (same && other < id) device.close("replaced");
    }
  }

  /** Reads what is new and hands it out, one read at a time. */
  private async wake(): Promise<void> {
    if (!this.placed || this.reading) {
      this.again = true;
      return;
    }
    this.reading = true;
    try {
      do {
        this.again = false;
        await this.readOn();
      } while (this.again);
    } catch (error) {
      // The bus wakes its listeners again once it has reconnected.
      this.parts.log.warn({ err: error, inbox: this.parts.name }, "inbox cannot be read");
    } finally {
      this.reading = false;
    }
  }

  private async readOn(): Promise<void> {
    const { bus, name, log, metrics } = this.parts;
    const page = await bus.read(name, this.cursor);
    if (!page.complete) log.warn({ inbox: name }, "signals may have been missed");
    for (const { cursor, body } of page.entries) {
      this.cursor = cursor;
      // One parcel for all devices: what is made of it for one need not be made for the next.
      const parcel: Parcel = { kind: "signal", cursor, signal: JSON.parse(body) as Signal };
      const { resource } = parcel.signal.to;
      const count = { graphql: 0, xmpp: 0 };
      for (const device of [...this.devices.keys()]) {
        if (!meant(device, resource)) continue;
        device.receive(parcel);
        count[device.door]++;
      }
      if (count.graphql > 0) metrics.deliveries.inc({ door: "graphql" }, count.graphql);
      if (count.xmpp > 0) metrics.deliveries.inc({ door: "xmpp" }, count.xmpp);
    }
    if (page.entries.length > 0) this.again = true;
  }
}

function meant(device: Device, resource: string | undefined): boolean {
  return resource === undefined || device.party.resource === resource;
}
