import { Fault } from "../../core/errors";
import type { Attachment, Device, StartPosition } from "../signals/device";
import { positionKey } from "./bus-keys";
import { type Backlog, InboxReader, type ReaderDeps } from "./inbox-reader";
import { InboxSubscriber } from "./inbox-subscriber";
import { readInboxPage } from "./read-inbox";
import { SnapshotLoader } from "./snapshot-loader";
import { StoredPosition } from "./stored-position";

/** Maximum number of chat streams and subscriptions of one user on a node. */
export const INBOX_DEVICES_MAX = 256;
/** Seconds after which a device beyond this limit may retry. */
const RETRY_AFTER_S = 10;

interface InboxDeps extends ReaderDeps {
  /** Id of this node, to recognize its own notices. */
  node: string;
  onEmpty(): void;
}

/** A notice on a user's channel other than a wake-up: a stanza to deliver, or a resource that was bound. */
type Notice = { xml: string; resource?: string } | { bound: string; node: string };

/** The position from which a device reads. */
interface ReadPosition {
  /** Cursor before the first message that the device receives. */
  origin: string;
  /** Cursor after which it reads. */
  cursor: string;
  /** Entries that it has to catch up with first; none when omitted. */
  backlog?: Backlog;
  /** Whether entries that the device needs were evicted: ringing calls, or what it has not acknowledged. */
  mayHaveGap?: boolean;
}

/**
 * Reads one user's inbox for the user's devices on this node, with one bus subscription for all of them.
 * Notices only trigger a read; deliveries come from the inbox itself.
 */
export class Inbox {
  private readonly subscribers = new Map<Device, InboxSubscriber>();
  private readonly reader: InboxReader;
  private readonly snapshots: SnapshotLoader;
  private opening: Promise<() => Promise<void>> | null = null;
  private count = 0;

  constructor(private readonly deps: InboxDeps) {
    this.reader = new InboxReader(deps, () => this.subscribers.values());
    this.snapshots = new SnapshotLoader(deps.bus, deps.name);
  }

  /** See Router.attach. */
  async attach(device: Device, start?: StartPosition): Promise<Attachment> {
    if (this.subscribers.size >= INBOX_DEVICES_MAX) {
      const message = `A user may have up to ${INBOX_DEVICES_MAX} chat streams and subscriptions on a node`;
      throw new Fault("LIMITED", message, undefined, RETRY_AFTER_S);
    }
    const subscriber = new InboxSubscriber(device, ++this.count);
    this.subscribers.set(device, subscriber);
    const { resource } = device.party;
    try {
      // Subscribes before it reads, so that no entry falls between the two.
      await this.open();
      const { origin, cursor, backlog, mayHaveGap } = await this.positionOf(device, start);
      if (mayHaveGap) device.onPossibleGap?.();
      if (device.protocol === "xmpp") await this.takeOver(resource, subscriber.id);
      subscriber.cursor = cursor;
      subscriber.caughtUp = !backlog;
      if (backlog) setImmediate(() => void this.reader.catchUp(subscriber, backlog));
      else void this.reader.wake();
      return this.attachment(subscriber, origin);
    } catch (error) {
      await this.detach(subscriber);
      throw error;
    }
  }

  /** Closes every device on this node. */
  closeAll(reason: "draining"): void {
    for (const device of [...this.subscribers.keys()]) device.close(reason);
  }

  private attachment(subscriber: InboxSubscriber, origin: string): Attachment {
    const { party } = subscriber.device;
    const key = positionKey(party, party.resource);
    const storedPosition = new StoredPosition(origin, async (cursor) => {
      try {
        await this.deps.bus.values.set(key, cursor);
        return true;
      } catch (error) {
        this.deps.log.warn({ err: error }, "failed to write an acknowledgement");
        return false;
      }
    });
    return {
      acknowledge: (cursor) => storedPosition.note(cursor),
      detach: async () => {
        await Promise.all([this.detach(subscriber), storedPosition.end()]);
      },
    };
  }

  private async open(): Promise<void> {
    const { bus, name } = this.deps;
    this.opening ??= bus.subscribe(name, (message) => this.onNotice(message));
    try {
      await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  private async positionOf(
    device: Device,
    start: StartPosition | undefined,
  ): Promise<ReadPosition> {
    if (start && "after" in start) return this.positionAfter(start.after);
    const { state, cursors, lastCursor, priorityEvicted } = await this.snapshots.read();
    if (start) return this.positionOfLost(device, start.resumed, lastCursor, priorityEvicted);
    const calls = state.ringingCalls(device.party.resource);
    const mayHaveGap = priorityEvicted;
    if (!calls[0]) return { origin: lastCursor, cursor: lastCursor, mayHaveGap };
    // A new device receives only the calls that are still ringing, with back-pressure.
    const ringing = new Set(calls.map(({ cursor }) => cursor));
    const shouldDeliver = (cursor: string) => ringing.has(cursor) || !cursors.has(cursor);
    const { previousCursor } = calls[0];
    return {
      origin: previousCursor,
      cursor: previousCursor,
      backlog: { guaranteedFrom: lastCursor, shouldDeliver },
      mayHaveGap,
    };
  }

  /** The position of a device that was lost: everything after the last cursor that it acknowledged. */
  private async positionOfLost(
    { party }: Device,
    resource: string,
    lastCursor: string,
    priorityEvicted: boolean,
  ): Promise<ReadPosition> {
    const { bus, name } = this.deps;
    const acknowledged = (await bus.values.get(positionKey(party, resource))) ?? "";
    const page = await readInboxPage(bus, name, acknowledged);
    return {
      origin: acknowledged,
      cursor: acknowledged,
      backlog: { guaranteedFrom: lastCursor, page },
      mayHaveGap: acknowledged === "" ? priorityEvicted : !page.complete,
    };
  }

  private async positionAfter(after: string): Promise<ReadPosition> {
    const { bus, name } = this.deps;
    const page = await readInboxPage(bus, name, after);
    if (after === "" || !page.complete) throw expiredCursor();
    const position = { origin: after, cursor: after };
    return page.entries.length > 0
      ? { ...position, backlog: { guaranteedFrom: after, page } }
      : position;
  }

  private async detach(subscriber: InboxSubscriber): Promise<void> {
    subscriber.detached = true;
    if (!this.subscribers.delete(subscriber.device) || this.subscribers.size > 0) return;
    this.deps.onEmpty();
    const unsubscribe = await this.opening?.catch(() => undefined);
    await unsubscribe?.();
  }

  private onNotice(message: string): void {
    if (!message.startsWith("{")) {
      void this.reader.wake();
      return;
    }
    const notice = JSON.parse(message) as Notice;
    if ("bound" in notice) {
      if (notice.node !== this.deps.node) this.closeOlder(notice.bound, Number.POSITIVE_INFINITY);
      return;
    }
    const { xml, resource } = notice;
    for (const { device } of [...this.subscribers.values()]) {
      const matches = resource === undefined || resource === device.party.resource;
      if (matches) device.receive({ kind: "stanza", xml });
    }
  }

  /**
   * Closes chat streams of a resource that were bound before the device of this id, on all nodes (RFC 6120
   * section 7.7.2.2). GraphQL subscribers of one session coexist.
   */
  private async takeOver(resource: string, id: number): Promise<void> {
    this.closeOlder(resource, id);
    const notice: Notice = { bound: resource, node: this.deps.node };
    await this.deps.bus.publish(this.deps.name, JSON.stringify(notice));
  }

  private closeOlder(resource: string, id: number): void {
    for (const subscriber of [...this.subscribers.values()]) {
      const same =
        subscriber.device.protocol === "xmpp" && subscriber.device.party.resource === resource;
      if (same && subscriber.id < id) subscriber.device.close("replaced");
    }
  }
}

function expiredCursor(): Fault {
  const message = "has expired: signals may have been missed. Resubscribe without it";
  return Fault.field("after", message);
}
