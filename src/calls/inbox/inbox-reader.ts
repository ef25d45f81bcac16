import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../bus/bus";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import type { AnsweredMessage } from "../signals/device";
import type { Signal } from "../signals/signal";
import { isAnswer } from "./inbox-entry";
import { readInboxState } from "./inbox-state";
import type { Delivery, InboxSubscriber } from "./inbox-subscriber";
import { type DecodedEntry, type DecodedPage, readInboxPage } from "./read-inbox";

/** Delay before a failed read is retried, in milliseconds. */
const RETRY_MS = 1_000;
/** Maximum number of answers kept for repeats of a call that arrive after its answer. */
const ANSWERS_MAX = 50;
const NONE: ReadonlySet<string> = new Set();

/** The dependencies of an inbox reader. */
export interface ReaderDeps {
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** Name of the inbox. */
  name: string;
  /** Whether an application's chat clients receive a `hangUp` when another device answers. */
  answeredElsewhere(applicationId: number): Promise<boolean>;
}

/** The entries that a device has to catch up with when it attaches. */
export interface Backlog {
  /** Cursor after which no entry for the device may be missing. */
  guaranteedFrom: string;
  /** Whether the entry of a cursor is delivered to it; all are when omitted. */
  shouldDeliver?(cursor: string): boolean;
  /** The first page, if it was already read. */
  page?: DecodedPage;
}

/**
 * Reads one user's inbox for the devices on this node. Each device has its own cursor, which determines its
 * next delivery; devices at the same cursor share a read.
 */
export class InboxReader {
  private reading = false;
  private readAgain = false;
  private readonly answers = new Map<string, AnsweredMessage>();

  constructor(
    private readonly deps: ReaderDeps,
    private readonly subscribers: () => Iterable<InboxSubscriber>,
  ) {}

  /** Delivers new entries to the devices that have caught up, one read at a time. */
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
      this.deps.log.warn({ err: error, inbox: this.deps.name }, "failed to read an inbox");
      setTimeout(() => void this.wake(), RETRY_MS).unref();
    } finally {
      this.reading = false;
    }
  }

  /**
   * Delivers what a device missed, with back-pressure, and then new entries. Closes it when it may have a
   * gap.
   */
  async catchUp(
    subscriber: InboxSubscriber,
    { guaranteedFrom, shouldDeliver, page: first }: Backlog,
  ): Promise<void> {
    const { bus, name } = this.deps;
    let page = first;
    while (!subscriber.detached) {
      try {
        page ??= await readInboxPage(bus, name, subscriber.cursor);
        // Entries up to guaranteedFrom may be missing: the device was told so, or it does not need them.
        const complete = subscriber.cursor !== "" && page.complete;
        if (!complete && !(await bus.read(name, guaranteedFrom)).complete) {
          return this.closeStale(subscriber);
        }
        const { entries, more } = page;
        const wanted = shouldDeliver
          ? entries.filter(({ cursor }) => shouldDeliver(cursor))
          : entries;
        const deliveries = await this.toDeliveries(wanted, false);
        subscriber.cursor =
          entries.at(-1)?.cursor ?? (complete ? subscriber.cursor : guaranteedFrom);
        const send = (delivery: Delivery) => this.deliver([subscriber], delivery);
        if (!(await subscriber.deliver(deliveries, send))) return;
        if (!more) break;
      } catch (error) {
        this.deps.log.warn({ err: error, inbox: this.deps.name }, "failed to read an inbox");
        await delay(RETRY_MS, undefined, { ref: false });
      }
      page = undefined;
    }
    subscriber.caughtUp = true;
    await this.wake();
  }

  /** The devices that have caught up, by cursor. */
  private byCursor(): Map<string, InboxSubscriber[]> {
    const groups = new Map<string, InboxSubscriber[]>();
    for (const subscriber of this.subscribers()) {
      if (!subscriber.caughtUp) continue;
      const group = groups.get(subscriber.cursor);
      if (group) group.push(subscriber);
      else groups.set(subscriber.cursor, [subscriber]);
    }
    return groups;
  }

  private async readNext(cursor: string, subscribers: InboxSubscriber[]): Promise<void> {
    const page = await readInboxPage(this.deps.bus, this.deps.name, cursor);
    if (!page.complete) {
      for (const subscriber of subscribers) this.closeStale(subscriber);
      return;
    }
    const deliveries = await this.toDeliveries(page.entries, true);
    const last = page.entries.at(-1)?.cursor ?? cursor;
    for (const subscriber of subscribers) subscriber.cursor = last;
    for (const delivery of deliveries) this.deliver(subscribers, delivery);
    if (page.more) this.readAgain = true;
  }

  private closeStale(subscriber: InboxSubscriber): void {
    this.deps.log.warn({ inbox: this.deps.name }, "a device may have missed signals");
    subscriber.caughtUp = false;
    subscriber.device.close("behind");
  }

  /**
   * The deliveries for entries. All devices share one message object, so that its encoded form can be reused.
   */
  private async toDeliveries(entries: DecodedEntry[], live: boolean): Promise<Delivery[]> {
    const decisive = await this.decisiveAnswers(entries);
    return entries.flatMap(({ cursor, content }): Delivery[] => {
      if (!isAnswer(content)) {
        const message = { kind: "signal", cursor, signal: content } as const;
        const delivery: Delivery = { message, to: content.to.resource };
        const answer = live ? this.answerTo(content) : undefined;
        return answer
          ? [delivery, { message: { ...answer, cursor }, except: answer.device }]
          : [delivery];
      }
      if (!decisive.has(cursor)) return [];
      const { callId, answerType, device: resource, peer } = content;
      const message: AnsweredMessage = {
        kind: "answered",
        cursor,
        callId,
        answerType,
        device: resource,
        peer,
        hangUp: false,
      };
      if (live) this.remember(message);
      return [{ message, except: resource }];
    });
  }

  /**
   * Cursors of the answers that stop the ringing on other devices; this depends on the entries before them.
   */
  private async decisiveAnswers(entries: DecodedEntry[]): Promise<ReadonlySet<string>> {
    const answers = entries.flatMap(({ cursor, content }) =>
      isAnswer(content) ? [{ cursor, ...content }] : [],
    );
    if (answers.length === 0) return NONE;
    const connected = [...this.subscribers()].map(({ device }) => device.party.resource);
    if (answers.some(({ device: resource }) => connected.some((other) => other !== resource))) {
      return (await readInboxState(this.deps.bus, this.deps.name)).decisiveAnswers;
    }
    // The usual case: no other device is connected here, so the answers are only kept for repeats.
    return new Set(
      answers.filter(({ answerType }) => answerType !== "hangUp").map(({ cursor }) => cursor),
    );
  }

  private remember(message: AnsweredMessage): void {
    this.answers.delete(message.callId);
    this.answers.set(message.callId, message);
    for (const [oldest] of this.answers) {
      if (this.answers.size <= ANSWERS_MAX) break;
      this.answers.delete(oldest);
    }
  }

  /** The earlier answer to a call that is repeated, which would otherwise ring again on other devices. */
  private answerTo({ type, callId = "", from }: Signal): AnsweredMessage | undefined {
    const answer = this.answers.get(callId);
    if (answer?.peer.userId !== from.userId) return undefined;
    if (type === "hangUp") this.answers.delete(callId);
    return type === "call" ? answer : undefined;
  }

  private deliver(subscribers: InboxSubscriber[], delivery: Delivery): void {
    const { message } = delivery;
    const recipients = subscribers.filter((each) => !each.detached && each.matches(delivery));
    const xmpp = recipients.filter(({ device }) => device.protocol === "xmpp");
    const graphql = recipients.filter(({ device }) => device.protocol === "graphql");
    for (const { device } of graphql) device.receive(message);
    if (message.kind === "answered") {
      if (xmpp.length > 0) void this.deliverAnswer(xmpp, message);
      return;
    }
    for (const { device } of xmpp) device.receive(message);
    const { deliveries } = this.deps.metrics;
    if (graphql.length > 0) deliveries.inc({ protocol: "graphql" }, graphql.length);
    if (xmpp.length > 0) deliveries.inc({ protocol: "xmpp" }, xmpp.length);
  }

  /**
   * Notifies chat devices of an answer, asynchronously, so that no signal waits for the application's
   * setting.
   */
  private async deliverAnswer(chats: InboxSubscriber[], message: AnsweredMessage): Promise<void> {
    const { log, name, answeredElsewhere } = this.deps;
    let hangUp = false;
    try {
      const [first] = chats;
      // A hangUp without a prior accept is not an answer, so legacy clients get no substitute for it.
      if (first && message.answerType !== "hangUp") {
        hangUp = await answeredElsewhere(first.device.party.applicationId);
      }
    } catch (error) {
      log.warn({ err: error, inbox: name }, "failed to look up the setting answeredElsewhere");
    }
    for (const { device, detached } of chats) if (!detached) device.receive({ ...message, hangUp });
  }
}
