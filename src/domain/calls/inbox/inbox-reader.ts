import { setTimeout as delay } from "node:timers/promises";
import { type Log, warnRarely } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import { inConsumerSpan } from "../../../core/tracing";
import type { Bus } from "../../../platform/bus/bus";
import type { Signal } from "../signals/signal";
import type { AddressedMessage, AttachedSubscriber } from "./attached-subscriber";
import { type DecodedEntry, type DecodedPage, isAnswer, readInboxPage } from "./inbox-log";
import { inboxAttributes } from "./inbox-spans";
import { readSnapshot } from "./snapshot-loader";
import type { AnsweredCall } from "./subscriber";

/** Delay before a failed read is retried, in milliseconds. */
const RETRY_MS = 1_000;
/** Maximum number of answers kept for repeats of a call that arrive after its answer. */
const ANSWERS_MAX = 50;
const NONE: ReadonlySet<string> = new Set();
/** Of the span of a delivery to the devices on one node. */
const DELIVERY_ATTRIBUTES = inboxAttributes("process");

/** The dependencies of an inbox reader. */
export interface ReaderDeps {
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** Name of the inbox. */
  name: string;
  /** Whether an application's chat clients receive a `hangUp` when another device answers. */
  isAnsweredElsewhereEnabled(applicationId: number): Promise<boolean>;
}

/** The entries that a subscriber has to catch up with when it is attached. */
export interface CatchUpRange {
  /**
   * Entries after this cursor must be complete. Earlier gaps are fine: the subscriber was notified or does not need them.
   */
  completeAfter: string;
  /** Whether the entry of a cursor is delivered to it; all are when omitted. */
  shouldDeliver?(cursor: string): boolean;
  /** The first page, if it was already read. */
  page?: DecodedPage;
}

/**
 * Reads one user's inbox for its subscribers on this node. Each has its own cursor, after which it reads next;
 * subscribers at the same cursor share a read.
 */
export class InboxReader {
  private reading = false;
  private readAgain = false;
  private readonly answers = new Map<string, AnsweredCall>();

  constructor(
    private readonly deps: ReaderDeps,
    private readonly subscribers: () => Iterable<AttachedSubscriber>,
  ) {}

  /** Delivers new entries to the subscribers that have caught up, one read at a time. */
  async wake(): Promise<void> {
    this.readAgain = true;
    if (this.reading) return;
    this.reading = true;
    try {
      while (this.readAgain) {
        this.readAgain = false;
        for (const [cursor, group] of this.byCursor()) await this.readNext(cursor, group);
      }
    } catch (error) {
      warnRarely(this.deps.log, { err: error, inbox: this.deps.name }, "failed to read an inbox");
      setTimeout(() => void this.wake(), RETRY_MS).unref();
    } finally {
      this.reading = false;
    }
  }

  /**
   * Delivers what a subscriber missed, with back-pressure, and then new entries. Closes it if it may have a gap.
   */
  async catchUp(
    attached: AttachedSubscriber,
    { completeAfter, shouldDeliver, page: first }: CatchUpRange,
  ): Promise<void> {
    const { bus, name } = this.deps;
    let page = first;
    while (!attached.detached) {
      try {
        page ??= await readInboxPage(bus, name, attached.cursor);
        const complete = attached.cursor !== "" && page.complete;
        if (!complete && !(await bus.read(name, completeAfter)).complete) {
          return this.closeStale(attached);
        }
        const { entries, more } = page;
        const wanted = shouldDeliver
          ? entries.filter(({ cursor }) => shouldDeliver(cursor))
          : entries;
        const messages = await this.toMessages(wanted, false);
        attached.cursor = entries.at(-1)?.cursor ?? (complete ? attached.cursor : completeAfter);
        const send = (message: AddressedMessage) => this.deliver([attached], message);
        if (!(await attached.deliver(messages, send))) return;
        if (!more) break;
      } catch (error) {
        warnRarely(this.deps.log, { err: error, inbox: this.deps.name }, "failed to read an inbox");
        await delay(RETRY_MS, undefined, { ref: false });
      }
      page = undefined;
    }
    attached.caughtUp = true;
    await this.wake();
  }

  /** The subscribers that have caught up, by cursor. */
  private byCursor(): Map<string, AttachedSubscriber[]> {
    const groups = new Map<string, AttachedSubscriber[]>();
    for (const attached of this.subscribers()) {
      if (!attached.caughtUp) continue;
      const group = groups.get(attached.cursor);
      if (group) group.push(attached);
      else groups.set(attached.cursor, [attached]);
    }
    return groups;
  }

  private async readNext(cursor: string, group: AttachedSubscriber[]): Promise<void> {
    const page = await readInboxPage(this.deps.bus, this.deps.name, cursor);
    if (!page.complete) {
      for (const attached of group) this.closeStale(attached);
      return;
    }
    const messages = await this.toMessages(page.entries, true);
    const last = page.entries.at(-1)?.cursor ?? cursor;
    for (const attached of group) attached.cursor = last;
    for (const message of messages) this.deliver(group, message);
    if (page.more) this.readAgain = true;
  }

  private closeStale(attached: AttachedSubscriber): void {
    // A user can flood the own inbox at will.
    this.deps.log.info({ inbox: this.deps.name }, "a device may have missed signals");
    attached.caughtUp = false;
    attached.subscriber.close("behind");
  }

  /**
   * The messages for entries. All subscribers share one message object, so that its encoded form can be reused.
   */
  private async toMessages(entries: DecodedEntry[], live: boolean): Promise<AddressedMessage[]> {
    const stopRinging = await this.ringStoppingAnswers(entries);
    return entries.flatMap(({ cursor, content, trace }): AddressedMessage[] => {
      if (!isAnswer(content)) {
        const message = { kind: "signal", cursor, signal: content } as const;
        const addressed: AddressedMessage = { message, to: content.to.resource, trace };
        const answer = live ? this.answerTo(content) : undefined;
        return answer
          ? [addressed, { message: { ...answer, cursor }, except: answer.device, trace }]
          : [addressed];
      }
      if (!stopRinging.has(cursor)) return [];
      const { callId, answerType, device: resource, peer } = content;
      const message: AnsweredCall = {
        kind: "answered",
        cursor,
        callId,
        answerType,
        device: resource,
        peer,
        hangUp: false,
      };
      if (live) this.remember(message);
      return [{ message, except: resource, trace }];
    });
  }

  /**
   * Cursors of the answers that stop the ringing on other devices; this depends on the entries before them.
   */
  private async ringStoppingAnswers(entries: DecodedEntry[]): Promise<ReadonlySet<string>> {
    const answers = entries.flatMap(({ cursor, content }) =>
      isAnswer(content) ? [{ cursor, ...content }] : [],
    );
    if (answers.length === 0) return NONE;
    const connected = [...this.subscribers()].map(({ subscriber }) => subscriber.party.resource);
    if (answers.some(({ device: resource }) => connected.some((other) => other !== resource))) {
      return (await readSnapshot(this.deps.bus, this.deps.name)).state.ringStoppingAnswers;
    }
    // The usual case: no other device is connected here, so the answers are only kept for repeats.
    return new Set(
      answers.filter(({ answerType }) => answerType !== "hangUp").map(({ cursor }) => cursor),
    );
  }

  private remember(message: AnsweredCall): void {
    this.answers.delete(message.callId);
    this.answers.set(message.callId, message);
    for (const [oldest] of this.answers) {
      if (this.answers.size <= ANSWERS_MAX) break;
      this.answers.delete(oldest);
    }
  }

  /** The earlier answer to a call that is repeated, which would otherwise ring again on other devices. */
  private answerTo({ type, callId = "", from }: Signal): AnsweredCall | undefined {
    const answer = this.answers.get(callId);
    if (answer?.peer.userId !== from.userId) return undefined;
    if (type === "hangUp") this.answers.delete(callId);
    return type === "call" ? answer : undefined;
  }

  private deliver(group: AttachedSubscriber[], addressed: AddressedMessage): void {
    const { message, trace } = addressed;
    const recipients = group.filter((each) => !each.detached && each.matches(addressed));
    if (trace === undefined) this.handOver(recipients, message);
    else if (recipients.length > 0) {
      const attributes = { ...DELIVERY_ATTRIBUTES, "signalbox.deliveries": recipients.length };
      inConsumerSpan("process inbox", attributes, trace, () => this.handOver(recipients, message));
    }
  }

  private handOver(recipients: AttachedSubscriber[], message: AddressedMessage["message"]): void {
    const xmpp = recipients.filter(({ subscriber }) => subscriber.protocol === "xmpp");
    const graphql = recipients.filter(({ subscriber }) => subscriber.protocol === "graphql");
    for (const { subscriber } of graphql) subscriber.receive(message);
    if (message.kind === "answered") {
      if (xmpp.length > 0) void this.deliverAnswer(xmpp, message);
      return;
    }
    for (const { subscriber } of xmpp) subscriber.receive(message);
    const { deliveries } = this.deps.metrics;
    if (graphql.length > 0) deliveries.inc({ protocol: "graphql" }, graphql.length);
    if (xmpp.length > 0) deliveries.inc({ protocol: "xmpp" }, xmpp.length);
  }

  /**
   * Notifies chat devices of an answer, asynchronously, so that no signal waits for the application's
   * setting.
   */
  private async deliverAnswer(chats: AttachedSubscriber[], message: AnsweredCall): Promise<void> {
    const { log, name, isAnsweredElsewhereEnabled } = this.deps;
    let hangUp = false;
    try {
      const [first] = chats;
      // Only `accept` and `reject` are replaced by a `hangUp` for legacy clients.
      if (first && message.answerType !== "hangUp") {
        hangUp = await isAnsweredElsewhereEnabled(first.subscriber.party.applicationId);
      }
    } catch (error) {
      warnRarely(
        log,
        { err: error, inbox: name },
        "failed to look up the setting answeredElsewhere",
      );
    }
    for (const { subscriber, detached } of chats) {
      if (!detached) subscriber.receive({ ...message, hangUp });
    }
  }
}
