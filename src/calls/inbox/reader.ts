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

/** Milliseconds after which an inbox that could not be read is read again. */
const AGAIN_MS = 1_000;
/** Answers that are remembered of an inbox, for repeats of a call that come after them. */
const ANSWERS = 50;
const NONE: ReadonlySet<string> = new Set();

/** What the reader of an inbox stands on. */
export interface ReaderParts {
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** The inbox. */
  name: string;
  /** Whether chat clients of an application are told of an answer elsewhere by a `hangUp`. */
  answeredElsewhere(applicationId: number): Promise<boolean>;
}

/** What stands in the inbox already when a device is placed. */
export interface Backlog {
  /** Cursor after which nothing that is for the device may be missing. */
  promised: string;
  /** Whether the entry of a cursor is to be handed to it; all are when left out. */
  owes?(cursor: string): boolean;
  /** The first page, where it was read. */
  page?: LogPage;
}

/**
 * Reads one user's inbox for the devices here. Each has its own cursor, which alone says what it is
 * handed next; those that stand at the same place are read for once.
 */
export class Reader {
  private reading = false;
  private again = false;
  private readonly answers = new Map<string, AnsweredParcel>();

  constructor(
    private readonly parts: ReaderParts,
    private readonly seats: () => Iterable<Seat>,
  ) {}

  /** Hands out what is new to those who have caught up, one read at a time. */
  async wake(): Promise<void> {
    this.again = true;
    if (this.reading) return;
    this.reading = true;
    try {
      while (this.again) {
        this.again = false;
        for (const [cursor, seats] of this.places()) await this.readOn(cursor, seats);
      }
    } catch (error) {
      this.parts.log.warn({ err: error, inbox: this.parts.name }, "inbox cannot be read");
      setTimeout(() => void this.wake(), AGAIN_MS).unref();
    } finally {
      this.reading = false;
    }
  }

  /**
   * Hands a device what it missed, at its own pace, and from then on what comes. Closes it when
   * something may be missing.
   */
  async catchUp(seat: Seat, { promised, owes, page: first }: Backlog): Promise<void> {
    const { bus, name } = this.parts;
    const lanes = lanesOf(seat.device);
    let page = first;
    while (!seat.gone) {
      try {
        page ??= await readPage(bus, name, seat.cursor, lanes);
        // What is missing before that place, it has been told of, or is owed no more.
        const judged = seat.cursor !== "" && page.complete;
        if (!judged && !(await this.isWhole(promised, lanes))) return this.leaveBehind(seat);
        const { entries, more } = page;
        const owed = owes ? entries.filter(({ cursor }) => owes(cursor)) : entries;
        const handouts = await this.prepare(owed, false);
        seat.cursor = entries.at(-1)?.cursor ?? (judged ? seat.cursor : promised);
        if (!(await seat.take(handouts, (handout) => this.hand([seat], handout)))) return;
        if (!more) break;
      } catch (error) {
        this.parts.log.warn({ err: error, inbox: this.parts.name }, "inbox cannot be read");
        await delay(AGAIN_MS, undefined, { ref: false });
      }
      page = undefined;
    }
    seat.live = true;
    await this.wake();
  }

  /** Those who have caught up, by where they stand. */
  private places(): Map<string, Seat[]> {
    const places = new Map<string, Seat[]>();
    for (const seat of this.seats()) {
      if (!seat.live) continue;
      const others = places.get(seat.cursor);
      if (others) others.push(seat);
      else places.set(seat.cursor, [seat]);
    }
    return places;
  }

  private async readOn(cursor: string, seats: Seat[]): Promise<void> {
    const page = await readPage(this.parts.bus, this.parts.name, cursor);
    const staying = page.complete ? seats : await this.partAtGap(cursor, seats);
    const handouts = await this.prepare(page.entries, true);
    const last = page.entries.at(-1)?.cursor ?? cursor;
    for (const seat of staying) seat.cursor = last;
    for (const handout of handouts) this.hand(staying, handout);
    if (page.more) this.again = true;
  }

  /** Something is gone. Those for whom it may have been are told so; answers who can go on. */
  private async partAtGap(cursor: string, seats: Seat[]): Promise<Seat[]> {
    const known = new Map<string, boolean>();
    const staying: Seat[] = [];
    for (const seat of seats) {
      const lanes = lanesOf(seat.device);
      const whole = known.get(lanes.join()) ?? (await this.isWhole(cursor, lanes));
      known.set(lanes.join(), whole);
      if (whole) staying.push(seat);
      else this.leaveBehind(seat);
    }
    return staying;
  }

  /** Whether nothing of some lanes is gone that stood after a cursor. */
  private async isWhole(cursor: string, lanes: string[]): Promise<boolean> {
    return (await this.parts.bus.read(this.parts.name, cursor, lanes)).complete;
  }

  private leaveBehind(seat: Seat): void {
    this.parts.log.warn({ inbox: this.parts.name }, "signals may have been missed");
    seat.live = false;
    seat.device.close("behind");
  }

  /** What entries bring to devices. One parcel for all: what is made of it for one serves the next. */
  private async prepare(entries: LogEntry[], live: boolean): Promise<Handout[]> {
    const settling = await this.settling(entries);
    return entries.flatMap(({ cursor, content }): Handout[] => {
      if (!isMark(content)) {
        const parcel = { kind: "signal", cursor, signal: content } as const;
        const handout: Handout = { parcel, to: content.to.resource };
        const answer = live ? this.answerTo(parcel.signal) : undefined;
        return answer
          ? [handout, { parcel: { ...answer, cursor }, except: answer.device }]
          : [handout];
      }
      if (content.mark !== "answer" || !settling.has(cursor)) return [];
      const { sessionId, word, device, peer } = content;
      const parcel: AnsweredParcel = {
        ...{ kind: "answered", cursor, sessionId, word, device, peer },
        hangUp: false,
      };
      if (live) this.remember(parcel);
      return [{ parcel, except: device }];
    });
  }

  /** The answers among entries that count, which what stands before them decides. */
  private async settling(entries: LogEntry[]): Promise<ReadonlySet<string>> {
    const answers = entries.flatMap(({ cursor, content }) =>
      isMark(content) && content.mark === "answer" ? [{ cursor, ...content }] : [],
    );
    if (answers.length === 0) return NONE;
    const devices = [...this.seats()].map(({ device }) => device.party.resource);
    if (answers.some(({ device }) => devices.some((other) => other !== device))) {
      return (await readStory(this.parts.bus, this.parts.name)).settling;
    }
    // Nobody is there to be told, which is how most answers are: they are remembered alone.
    return new Set(answers.filter(({ word }) => word !== "hangUp").map(({ cursor }) => cursor));
  }

  private remember(parcel: AnsweredParcel): void {
    this.answers.delete(parcel.sessionId);
    this.answers.set(parcel.sessionId, parcel);
    for (const [oldest] of this.answers) {
      if (this.answers.size <= ANSWERS) break;
      this.answers.delete(oldest);
    }
  }

  /** The answer that a repeat of a call comes too late for, and would have devices ring again. */
  private answerTo({ type, sessionId = "", from }: Signal): AnsweredParcel | undefined {
    const answer = this.answers.get(sessionId);
    if (answer?.peer.userId !== from.userId) return undefined;
    if (type === "hangUp") this.answers.delete(sessionId);
    return type === "call" ? answer : undefined;
  }

  private hand(seats: Seat[], handout: Handout): void {
    const { parcel } = handout;
    const meant = seats.filter((seat) => !seat.gone && seat.isMeant(handout));
    const chats = meant.filter(({ device }) => device.door === "xmpp");
    const others = meant.filter(({ device }) => device.door === "graphql");
    for (const { device } of others) device.receive(parcel);
    if (parcel.kind === "answered") {
      if (chats.length > 0) void this.tellChats(chats, parcel);
      return;
    }
    for (const { device } of chats) device.receive(parcel);
    const { deliveries } = this.parts.metrics;
    if (others.length > 0) deliveries.inc({ door: "graphql" }, others.length);
    if (chats.length > 0) deliveries.inc({ door: "xmpp" }, chats.length);
  }

  /** Apart from the rest, so that no signal waits for the look at the application. */
  private async tellChats(chats: Seat[], parcel: AnsweredParcel): Promise<void> {
    const { log, name, answeredElsewhere } = this.parts;
    let hangUp = false;
    try {
      const [first] = chats;
      // Who hangs up what it has not accepted answers nothing that a hangUp could stand for.
      if (first && parcel.word !== "hangUp") {
        hangUp = await answeredElsewhere(first.device.party.applicationId);
      }
    } catch (error) {
      log.warn({ err: error, inbox: name }, "devices could not be told of an answer elsewhere");
    }
    for (const { device, gone } of chats) if (!gone) device.receive({ ...parcel, hangUp });
  }
}
