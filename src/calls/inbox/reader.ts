import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../bus/bus";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import type { AnsweredParcel } from "../device";
import type { Signal } from "../signal";
import { lanesOf } from "./lanes";
import { type LogEntry, type LogPage, readPage } from "./log";
import { isMark } from "./mark";
import type { Handout, Seat } from "./seat";
import { readStory } from "./story";

/** Delay before a failed read is retried, in milliseconds. */
const RETRY_MS = 1_000;
/** Maximum number of answers kept for repeats of a call that arrive after its answer. */
const ANSWERS_MAX = 50;
const NONE: ReadonlySet<string> = new Set();

/** The dependencies of an inbox reader. */
export interface ReaderParts {
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
  promised: string;
  /** Whether the entry of a cursor is delivered to it; all are when omitted. */
  owes?(cursor: string): boolean;
  /** The first page, if it was already read. */
  page?: LogPage;
}

/**
 * Reads one user's inbox for the devices on this node. Each device has its own cursor, which determines its
 * next delivery; devices at the same cursor share a read.
 */
export class Reader {
  private reading = false;
  private readAgain = false;
  private readonly answers = new Map<string, AnsweredParcel>();

  constructor(
    private readonly parts: ReaderParts,
    private readonly subscribers: () => Iterable<Seat>,
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
      this.parts.log.warn({ err: error, inbox: this.parts.name }, "failed to read an inbox");
      setTimeout(() => void this.wake(), RETRY_MS).unref();
    } finally {
      this.reading = false;
    }
  }

  /**
   * Delivers what a device missed, with back-pressure, and then new entries. Closes it when it may have a
   * gap.
   */
  async catchUp(subscriber: Seat, { promised, owes, page: first }: Backlog): Promise<void> {
    const { bus, name } = this.parts;
    const partitions = lanesOf(subscriber.device);
    let page = first;
    while (!subscriber.gone) {
      try {
        page ??= await readPage(bus, name, subscriber.cursor, partitions);
        // Gaps before the guaranteed cursor do not matter: they were reported, or concern nothing it needs.
        const complete = subscriber.cursor !== "" && page.complete;
        if (!complete && !(await this.isComplete(promised, partitions))) {
          return this.closeStale(subscriber);
        }
        const { entries, more } = page;
        const wanted = owes ? entries.filter(({ cursor }) => owes(cursor)) : entries;
        const deliveries = await this.toDeliveries(wanted, false);
        subscriber.cursor = entries.at(-1)?.cursor ?? (complete ? subscriber.cursor : promised);
        const send = (delivery: Handout) => this.deliver([subscriber], delivery);
        if (!(await subscriber.take(deliveries, send))) return;
        if (!more) break;
      } catch (error) {
        this.parts.log.warn({ err: error, inbox: this.parts.name }, "failed to read an inbox");
        await delay(RETRY_MS, undefined, { ref: false });
      }
      page = undefined;
    }
    subscriber.live = true;
    await this.wake();
  }

  /** The devices that have caught up, by cursor. */
  private byCursor(): Map<string, Seat[]> {
    const groups = new Map<string, Seat[]>();
    for (const subscriber of this.subscribers()) {
      if (!subscriber.live) continue;
      const group = groups.get(subscriber.cursor);
      if (group) group.push(subscriber);
      else groups.set(subscriber.cursor, [subscriber]);
    }
    return groups;
  }

  private async readNext(cursor: string, subscribers: Seat[]): Promise<void> {
    const page = await readPage(this.parts.bus, this.parts.name, cursor);
    const remaining = page.complete ? subscribers : await this.closeOnGap(cursor, subscribers);
    const deliveries = await this.toDeliveries(page.entries, true);
    const last = page.entries.at(-1)?.cursor ?? cursor;
    for (const subscriber of remaining) subscriber.cursor = last;
    for (const delivery of deliveries) this.deliver(remaining, delivery);
    if (page.more) this.readAgain = true;
  }

  /** Entries are gone: closes the devices that may have missed one of them. Returns the others. */
  private async closeOnGap(cursor: string, subscribers: Seat[]): Promise<Seat[]> {
    const checked = new Map<string, boolean>();
    const remaining: Seat[] = [];
    for (const subscriber of subscribers) {
      const partitions = lanesOf(subscriber.device);
      const complete =
        checked.get(partitions.join()) ?? (await this.isComplete(cursor, partitions));
      checked.set(partitions.join(), complete);
      if (complete) remaining.push(subscriber);
      else this.closeStale(subscriber);
    }
    return remaining;
  }

  /** Whether no entry of these partitions after a cursor is gone. */
  private async isComplete(cursor: string, partitions: string[]): Promise<boolean> {
    return (await this.parts.bus.read(this.parts.name, cursor, partitions)).complete;
  }

  private closeStale(subscriber: Seat): void {
    this.parts.log.warn({ inbox: this.parts.name }, "a device may have missed signals");
    subscriber.live = false;
    subscriber.device.close("behind");
  }

  /**
   * The deliveries for entries. All devices share one message object, so that its encoded form can be reused.
   */
  private async toDeliveries(entries: LogEntry[], live: boolean): Promise<Handout[]> {
    const decisive = await this.decisiveAnswers(entries);
    return entries.flatMap(({ cursor, content }): Handout[] => {
      if (!isMark(content)) {
        const message = { kind: "signal", cursor, signal: content } as const;
        const delivery: Handout = { parcel: message, to: content.to.resource };
        const answer = live ? this.answerTo(content) : undefined;
        return answer
          ? [delivery, { parcel: { ...answer, cursor }, except: answer.device }]
          : [delivery];
      }
      if (content.mark !== "answer" || !decisive.has(cursor)) return [];
      const { sessionId, word, device, peer } = content;
      const message: AnsweredParcel = {
        ...{ kind: "answered", cursor, sessionId, word, device, peer },
        hangUp: false,
      };
      if (live) this.remember(message);
      return [{ parcel: message, except: device }];
    });
  }

  /**
   * Cursors of the answers that stop the ringing on other devices; this depends on the entries before them.
   */
  private async decisiveAnswers(entries: LogEntry[]): Promise<ReadonlySet<string>> {
    const answers = entries.flatMap(({ cursor, content }) =>
      isMark(content) && content.mark === "answer" ? [{ cursor, ...content }] : [],
    );
    if (answers.length === 0) return NONE;
    const devices = [...this.subscribers()].map(({ device }) => device.party.resource);
    if (answers.some(({ device }) => devices.some((other) => other !== device))) {
      return (await readStory(this.parts.bus, this.parts.name)).settling;
    }
    // The usual case: no other device is connected here, so the answers are only kept for repeats.
    return new Set(answers.filter(({ word }) => word !== "hangUp").map(({ cursor }) => cursor));
  }

  private remember(parcel: AnsweredParcel): void {
    this.answers.delete(parcel.sessionId);
    this.answers.set(parcel.sessionId, parcel);
    for (const [oldest] of this.answers) {
      if (this.answers.size <= ANSWERS_MAX) break;
      this.answers.delete(oldest);
    }
  }

  /** The earlier answer to a call that is repeated, which would otherwise ring again on other devices. */
  private answerTo({ type, sessionId = "", from }: Signal): AnsweredParcel | undefined {
    const answer = this.answers.get(sessionId);
    if (answer?.peer.userId !== from.userId) return undefined;
    if (type === "hangUp") this.answers.delete(sessionId);
    return type === "call" ? answer : undefined;
  }

  private deliver(subscribers: Seat[], delivery: Handout): void {
    const { parcel } = delivery;
    const recipients = subscribers.filter((each) => !each.gone && each.isMeant(delivery));
    const xmpp = recipients.filter(({ device }) => device.door === "xmpp");
    const graphql = recipients.filter(({ device }) => device.door === "graphql");
    for (const { device } of graphql) device.receive(parcel);
    if (parcel.kind === "answered") {
      if (xmpp.length > 0) void this.deliverAnswer(xmpp, parcel);
      return;
    }
    for (const { device } of xmpp) device.receive(parcel);
    const { deliveries } = this.parts.metrics;
    if (graphql.length > 0) deliveries.inc({ protocol: "graphql" }, graphql.length);
    if (xmpp.length > 0) deliveries.inc({ protocol: "xmpp" }, xmpp.length);
  }

  /**
   * Notifies chat devices of an answer, asynchronously, so that no signal waits for the application's
   * setting.
   */
  private async deliverAnswer(chats: Seat[], parcel: AnsweredParcel): Promise<void> {
    const { log, name, answeredElsewhere } = this.parts;
    let hangUp = false;
    try {
      const [first] = chats;
      // A hangUp without a prior accept is not an answer, so legacy clients get no substitute for it.
      if (first && parcel.word !== "hangUp") {
        hangUp = await answeredElsewhere(first.device.party.applicationId);
      }
    } catch (error) {
      log.warn({ err: error, inbox: name }, "failed to look up the setting answeredElsewhere");
    }
    for (const { device, gone } of chats) if (!gone) device.receive({ ...parcel, hangUp });
  }
}
