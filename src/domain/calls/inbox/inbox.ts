import { Fault } from "../../../core/errors";
import { warnRarely } from "../../../core/log";
import { inConsumerSpan, outsideTrace } from "../../../core/tracing";
import { AcknowledgedCursor } from "./acknowledged-cursor";
import { AttachedSubscriber } from "./attached-subscriber";
import { acknowledgedKey } from "./bus-keys";
import { answerQuestion, isQuestion } from "./device-presence";
import { readInboxPage } from "./inbox-log";
import { type CatchUpRange, InboxReader, type ReaderDeps } from "./inbox-reader";
import { inboxAttributes } from "./inbox-spans";
import { SnapshotLoader } from "./snapshot-loader";
import type { Attachment, SignalSubscriber, StartPosition } from "./subscriber";

/** Maximum number of chat streams and subscriptions of one user on a node. */
export const INBOX_DEVICES_MAX = 256;
const STANZA_ATTRIBUTES = inboxAttributes("process");
/** Seconds after which a subscriber beyond this limit may retry. */
const RETRY_AFTER_S = 10;

interface InboxDeps extends ReaderDeps {
  /** Id of this node, to recognize its own notices. */
  node: string;
  onEmpty(): void;
}

/**
 * A notice (a message on a user's pub/sub channel) that is not about a new entry: a stanza to deliver, or a resource
 * that was bound.
 */
type ControlNotice = StanzaNotice | { bound: string; node: string };

/** A stanza to deliver to the connected devices of a user, or to one of them. */
export interface StanzaNotice {
  xml: string;
  resource?: string;
  /** The trace of its sender, if it is sampled. */
  trace?: string;
}

/** The position from which a subscriber reads. */
interface ReadPosition {
  /** Cursor before the first message that the subscriber receives. */
  initialCursor: string;
  /** Cursor after which it reads. */
  cursor: string;
  /** Entries that it has to catch up with first; none when omitted. */
  catchUp?: CatchUpRange;
  /** Whether entries that the subscriber needs were evicted: ringing calls, or what it has not acknowledged. */
  mayHaveGap?: boolean;
}

/**
 * Reads one user's inbox for its subscribers on this node, with one bus subscription for all of them.
 * Notices only trigger a read; deliveries come from the inbox itself.
 */
export class Inbox {
  private readonly subscribers = new Map<SignalSubscriber, AttachedSubscriber>();
  private readonly reader: InboxReader;
  private readonly snapshots: SnapshotLoader;
  private opening: Promise<() => Promise<void>> | null = null;
  private lastId = 0;

  constructor(private readonly deps: InboxDeps) {
    this.reader = new InboxReader(deps, () => this.subscribers.values());
    this.snapshots = new SnapshotLoader(deps.bus, deps.name);
  }

  /** See Router.attach. */
  async attach(subscriber: SignalSubscriber, start?: StartPosition): Promise<Attachment> {
    if (this.subscribers.size >= INBOX_DEVICES_MAX) {
      const message = `A user may have up to ${INBOX_DEVICES_MAX} chat streams and subscriptions on a node`;
      throw new Fault("LIMITED", message, undefined, RETRY_AFTER_S);
    }
    const attached = new AttachedSubscriber(subscriber, ++this.lastId);
    this.subscribers.set(subscriber, attached);
    const { resource } = subscriber.party;
    try {
      // Subscribes before it reads, so that no entry falls between the two.
      await this.open();
      const { initialCursor, cursor, catchUp, mayHaveGap } = await this.positionOf(
        subscriber,
        start,
      );
      if (mayHaveGap) subscriber.onPossibleGap?.();
      if (subscriber.protocol === "xmpp") await this.takeOver(resource, attached.id);
      attached.cursor = cursor;
      attached.caughtUp = !catchUp;
      // What it reads are the signals of others, which are no part of the operation that subscribes.
      outsideTrace(() => {
        if (catchUp) setImmediate(() => void this.reader.catchUp(attached, catchUp));
        else void this.reader.wake();
      });
      return this.attachment(attached, initialCursor);
    } catch (error) {
      await this.detach(attached);
      throw error;
    }
  }

  private attachment(attached: AttachedSubscriber, initialCursor: string): Attachment {
    const { party } = attached.subscriber;
    const key = acknowledgedKey(party, party.resource);
    const acknowledgedCursor = new AcknowledgedCursor(initialCursor, async (cursor) => {
      try {
        await this.deps.bus.values.set(key, cursor);
        return true;
      } catch (error) {
        warnRarely(this.deps.log, { err: error }, "failed to write an acknowledgement");
        return false;
      }
    });
    return {
      acknowledge: (cursor) => acknowledgedCursor.acknowledge(cursor),
      detach: async () => {
        await Promise.all([this.detach(attached), acknowledgedCursor.end()]);
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
    subscriber: SignalSubscriber,
    start: StartPosition | undefined,
  ): Promise<ReadPosition> {
    if (start && "after" in start && !start.allowGap) return this.positionAfter(start.after);
    const { state, cursors, lastCursor, priorityEvicted } = await this.snapshots.read();
    if (start && "after" in start) return this.positionWithGap(start.after, lastCursor);
    if (start) {
      return this.positionOfDisconnected(subscriber, start.resumed, lastCursor, priorityEvicted);
    }
    const calls = state.ringingCalls(subscriber.party.resource);
    const mayHaveGap = priorityEvicted;
    if (!calls[0]) return { initialCursor: lastCursor, cursor: lastCursor, mayHaveGap };
    // A new subscriber receives only the calls that are still ringing, with back-pressure.
    const ringing = new Set(calls.map(({ cursor }) => cursor));
    const shouldDeliver = (cursor: string) => ringing.has(cursor) || !cursors.has(cursor);
    const { previousCursor } = calls[0];
    return {
      initialCursor: previousCursor,
      cursor: previousCursor,
      catchUp: { completeAfter: lastCursor, shouldDeliver },
      mayHaveGap,
    };
  }

  /** The position of a disconnected device: after the last cursor that it acknowledged. */
  private async positionOfDisconnected(
    { party }: SignalSubscriber,
    resource: string,
    lastCursor: string,
    priorityEvicted: boolean,
  ): Promise<ReadPosition> {
    const acknowledged = (await this.deps.bus.values.get(acknowledgedKey(party, resource))) ?? "";
    const position = await this.positionWithGap(acknowledged, lastCursor);
    return acknowledged === "" ? { ...position, mayHaveGap: priorityEvicted } : position;
  }

  /**
   * The position after a cursor, even if entries after it are gone.
   * @param lastCursor cursor of the last entry, read before: later entries must be complete
   */
  private async positionWithGap(after: string, lastCursor: string): Promise<ReadPosition> {
    const { bus, name } = this.deps;
    const page = await readInboxPage(bus, name, after);
    return {
      initialCursor: after,
      cursor: after,
      catchUp: { completeAfter: lastCursor, page },
      mayHaveGap: !page.complete,
    };
  }

  private async positionAfter(after: string): Promise<ReadPosition> {
    const { bus, name } = this.deps;
    const page = await readInboxPage(bus, name, after);
    if (after === "" || !page.complete) throw expiredCursor();
    const position = { initialCursor: after, cursor: after };
    return page.entries.length > 0
      ? { ...position, catchUp: { completeAfter: after, page } }
      : position;
  }

  private async detach(attached: AttachedSubscriber): Promise<void> {
    attached.detached = true;
    if (!this.subscribers.delete(attached.subscriber) || this.subscribers.size > 0) return;
    this.deps.onEmpty();
    const unsubscribe = await this.opening?.catch(() => undefined);
    await unsubscribe?.();
  }

  private onNotice(message: string): void {
    if (isQuestion(message)) {
      const resources = [...this.subscribers.keys()].map(({ party }) => party.resource);
      void answerQuestion(this.deps, message, resources);
      return;
    }
    if (!message.startsWith("{")) {
      // With a bus in memory it is the sender that calls this.
      void outsideTrace(() => this.reader.wake());
      return;
    }
    const notice = JSON.parse(message) as ControlNotice;
    if ("bound" in notice) {
      if (notice.node !== this.deps.node) this.closeOlder(notice.bound, Number.POSITIVE_INFINITY);
      return;
    }
    const deliver = () => this.deliverStanza(notice);
    if (notice.trace === undefined) deliver();
    else inConsumerSpan("process stanza", STANZA_ATTRIBUTES, notice.trace, deliver);
  }

  private deliverStanza({ xml, resource }: StanzaNotice): void {
    for (const subscriber of [...this.subscribers.keys()]) {
      const matches = resource === undefined || resource === subscriber.party.resource;
      if (matches) subscriber.receive({ kind: "stanza", xml });
    }
  }

  /**
   * Closes chat streams of a resource that were bound before the subscriber of this id, on all nodes (RFC 6120
   * section 7.7.2.2). GraphQL subscribers of one session coexist.
   */
  private async takeOver(resource: string, id: number): Promise<void> {
    this.closeOlder(resource, id);
    const notice: ControlNotice = { bound: resource, node: this.deps.node };
    await this.deps.bus.publish(this.deps.name, JSON.stringify(notice));
  }

  private closeOlder(resource: string, id: number): void {
    for (const { subscriber, id: other } of [...this.subscribers.values()]) {
      const same = subscriber.protocol === "xmpp" && subscriber.party.resource === resource;
      if (same && other < id) subscriber.close("replaced");
    }
  }
}

function expiredCursor(): Fault {
  const message = "has expired: signals may have been missed. Resubscribe with allowGap";
  return Fault.field("after", message);
}
