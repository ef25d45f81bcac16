import { Fault } from "../../../core/errors";
import { SharedLoads } from "../../../core/loads/shared-loads";
import { type Log, warnRarely } from "../../../core/log";
import type { Bus } from "../../../platform/bus/bus";
import type { ConferenceEvent } from "../model/conference-event";
import type { EventSubscriber } from "../model/conference-service";
import { inboxOfConference } from "./event-log";
import { EventPages } from "./event-pages";

/** Wait before the next attempt while the bus cannot be reached, in milliseconds. */
const RETRY_MS = 500;

type Snapshot = ConferenceEvent & { type: "snapshot" };

/** The state of a conference, and a position in its events that is not after it. */
interface PresentState {
  lastCursor: string;
  snapshot: Snapshot;
}

/** What the reader needs besides the bus. */
export interface EventReaderDeps {
  bus: Bus;
  log: Log;
  /** Reads the state of a conference. @returns null if it is closed */
  loadSnapshot(conferenceId: number): Promise<Snapshot | null>;
  /** Asks the host to send a participant its own events again, after a gap. */
  repeatStreams(subscriber: EventSubscriber): Promise<void>;
}

/** A subscriber and its position. */
interface Attached {
  subscriber: EventSubscriber;
  cursor: string;
  /** Shared events up to this number are in its snapshot. */
  sequence: number;
  /** Whether it has had a snapshot, which lacks the streams of its watching peers. */
  lacksStreams: boolean;
  ended: boolean;
  running: boolean;
  again: boolean;
}

/**
 * Reads the events of one conference for its subscribers on this node, with one subscription of the bus. Notices only
 * trigger a read; subscribers at the same position share it.
 */
export class EventReader {
  private readonly attached = new Set<Attached>();
  private readonly pages: EventPages;
  private opening: Promise<() => Promise<void>> | null = null;
  /** Subscribers that start, or that have missed events, at the same time share what they load. */
  private readonly states = new SharedLoads<PresentState | null>();
  private readonly repeats = new SharedLoads<void>();

  constructor(
    private readonly deps: EventReaderDeps,
    private readonly conferenceId: number,
    private readonly onEmpty: () => void,
  ) {
    this.pages = new EventPages(deps.bus, conferenceId);
  }

  /** See ConferenceService.subscribe. */
  async subscribe(
    subscriber: EventSubscriber,
    after: string | undefined,
  ): Promise<() => Promise<void>> {
    const entry: Attached = {
      subscriber,
      cursor: after ?? "",
      sequence: 0,
      lacksStreams: false,
      ended: false,
      // A notice before its start must not read: it would find the position before all events.
      running: true,
      again: false,
    };
    this.attached.add(entry);
    try {
      // Subscribes before it reads, so that no event falls between the two.
      await this.open();
      if (after === undefined) await this.startWithSnapshot(entry);
      else if (after === "" || !(await this.pages.isComplete(after))) throw expired();
    } catch (error) {
      await this.detach(entry);
      throw error;
    }
    entry.running = false;
    void this.drain(entry);
    return () => this.detach(entry);
  }

  private async open(): Promise<void> {
    this.opening ??= this.deps.bus.subscribe(inboxOfConference(this.conferenceId), () => {
      this.pages.clear();
      for (const entry of this.attached) void this.drain(entry);
    });
    try {
      await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  /** Delivers the state; events that it contains already are skipped by their numbers. */
  private async startWithSnapshot(entry: Attached): Promise<void> {
    const state = await this.states.load("", () => this.loadState());
    if (!state) throw new Fault("NOT_FOUND", "There is no such conference");
    const { lastCursor, snapshot } = state;
    entry.cursor = lastCursor;
    entry.sequence = snapshot.sequence;
    entry.lacksStreams = true;
    entry.subscriber.receive({ cursor: lastCursor, event: snapshot });
  }

  /** Reads the position first, so that no event is missing after the snapshot. */
  private async loadState(): Promise<PresentState | null> {
    const { lastCursor } = await this.deps.bus.read(inboxOfConference(this.conferenceId), "");
    const snapshot = await this.deps.loadSnapshot(this.conferenceId);
    return snapshot && { lastCursor, snapshot };
  }

  private async drain(entry: Attached): Promise<void> {
    if (entry.running) {
      entry.again = true;
      return;
    }
    entry.running = true;
    try {
      do {
        entry.again = false;
        const page = await this.pages.shared(entry.cursor);
        if (entry.ended) return;
        if (!page.complete) {
          await this.startWithSnapshot(entry);
          entry.again = true;
          continue;
        }
        for (const { cursor, event } of page.entries) {
          entry.cursor = cursor;
          this.deliver(entry, event);
          if (entry.ended) return;
        }
        await entry.subscriber.whenDrained();
        if (page.more) entry.again = true;
        else if (entry.lacksStreams) await this.repeatStreams(entry);
      } while (entry.again && !entry.ended);
    } catch (error) {
      this.pages.clear();
      warnRarely(this.deps.log, { err: error }, "the events of a conference could not be read");
      setTimeout(() => {
        if (!entry.ended) void this.drain(entry);
      }, RETRY_MS).unref();
    } finally {
      entry.running = false;
    }
  }

  private async repeatStreams(entry: Attached): Promise<void> {
    try {
      const { participantId, generation } = entry.subscriber.ref;
      await this.repeats.load(`${participantId} ${generation}`, () =>
        this.deps.repeatStreams(entry.subscriber),
      );
    } catch (error) {
      // Without the membership there is nothing to repeat; an event says that it has ended.
      if (!(error instanceof Fault) || error.code === "UNAVAILABLE") throw error;
    }
    entry.lacksStreams = false;
  }

  private deliver(entry: Attached, event: ConferenceEvent): void {
    const { subscriber } = entry;
    const { participantId, generation } = subscriber.ref;
    // It stands for events that were dropped; those for this participant may be among them even if the number is known.
    if (event.type === "snapshot") entry.lacksStreams = true;
    if ("to" in event) {
      if (event.to.participantId !== participantId || event.to.generation !== generation) return;
    } else {
      if (event.sequence <= entry.sequence) return;
      entry.sequence = event.sequence;
    }
    subscriber.receive({ cursor: entry.cursor, event });
    const isOver =
      event.type === "ended" ||
      event.type === "replaced" ||
      (event.type === "participant-left" && event.participantId === participantId);
    if (isOver) void this.end(entry);
  }

  /** Ends a subscriber whose membership is over. */
  async end(entry: Pick<Attached, "subscriber">): Promise<void> {
    const found = [...this.attached].find(({ subscriber }) => subscriber === entry.subscriber);
    if (!found || found.ended) return;
    await this.detach(found);
    found.subscriber.end();
  }

  private async detach(entry: Attached): Promise<void> {
    entry.ended = true;
    if (!this.attached.delete(entry) || this.attached.size > 0) return;
    this.onEmpty();
    const unsubscribe = await this.opening?.catch(() => undefined);
    await unsubscribe?.();
  }
}

function expired(): Fault {
  const message = "has expired: events may have been missed. Subscribe without it";
  return Fault.field("after", message);
}
