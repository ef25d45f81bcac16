import type { Transaction } from "../../../platform/store/store";
import { publishConferenceChange } from "../events/application-channel";
import { EventLog } from "../events/event-log";
import type { ConferenceEvent } from "../model/conference-event";
import { type AcquiredConference, advanceConference, type HostRef } from "../rows/host-queries";
import { type HostDeps, NotHostedError } from "./host-deps";
import { SerialQueue } from "./serial-queue";

/** An event before it has its number. */
export type NewEvent<E = ConferenceEvent> = E extends { sequence: number }
  ? Omit<E, "sequence">
  : never;

/**
 * One change of a conference's rows after the other. Each locks the row of the conference, which fails when another
 * node hosts it, and counts one event, which is appended after the commit.
 */
export class ConferenceChanges {
  private readonly queue = new SerialQueue();
  private readonly log: EventLog;
  private closed = false;
  private sequence: number;
  /** Whether a commit has begun whose outcome is unknown. */
  private committing = false;

  /**
   * @param row the application, and the number of the last event
   * @param snapshot makes the event that replaces events which cannot be stored
   * @param onOver called when what this node knows of the rows does not hold any more: another node hosts the
   * conference, or the outcome of a commit is unknown
   */
  constructor(
    private readonly deps: HostDeps,
    private readonly ref: () => HostRef,
    private readonly row: Pick<AcquiredConference, "application_id" | "sequence">,
    snapshot: () => NewEvent,
    private readonly onOver: () => void,
  ) {
    this.sequence = row.sequence;
    this.log = new EventLog(deps.bus, deps.log, ref().conferenceId, () =>
      this.numbered(snapshot()),
    );
  }

  /**
   * Runs work after all earlier work.
   * @throws NotHostedError, Fault UNAVAILABLE when too much waits, errors of the work
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.run(() => this.guarded(work));
  }

  /** As {@link run}, however much waits. */
  runAlways<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.runAlways(() => this.guarded(work));
  }

  /** Runs work whose failure nobody waits for. */
  background(work: () => Promise<void>): void {
    this.run(work).catch((error) => this.logFailure(error));
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.closed) throw new NotHostedError();
      return await work();
    } catch (error) {
      if (this.committing || error instanceof NotHostedError) this.onOver();
      throw error;
    }
  }

  /**
   * Changes rows under the lock of the conference, and then appends the event; call it within {@link run}.
   * @param apply changes the state in memory after the commit, and makes the event. Both happen at once, so that a
   * snapshot never lacks a change whose number it has
   * @throws NotHostedError, errors of `act`
   */
  async change<T>(
    act: (transaction: Transaction) => Promise<T>,
    apply: (result: T) => NewEvent,
  ): Promise<T> {
    const { sequence, result } = await this.deps.store.transaction(async (transaction) => {
      const advanced = await advanceConference(transaction, this.ref());
      if (advanced === null) throw new NotHostedError();
      const acted = await act(transaction);
      this.committing = true;
      return { sequence: advanced, result: acted };
    });
    this.committing = false;
    const event = apply(result);
    this.sequence = sequence;
    this.log.append(this.numbered(event));
    publishConferenceChange(this.deps, this.row.application_id, this.ref().conferenceId);
    return result;
  }

  /** Appends an event for one member, which changes no rows. */
  send(event: ConferenceEvent): void {
    this.log.append(event);
  }

  logFailure(error: unknown): void {
    if (error instanceof NotHostedError) return;
    this.deps.log.warn({ err: error }, "a change of a conference failed");
  }

  /** Ends it; events that were appended are stored first, if the bus can be reached. */
  async end(): Promise<void> {
    this.closed = true;
    await this.log.flush();
    this.log.close();
  }

  private numbered(event: NewEvent): ConferenceEvent {
    return { ...event, sequence: this.sequence } as ConferenceEvent;
  }
}
