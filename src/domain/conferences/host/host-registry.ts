import type { EngineEvent } from "../engine/engine";
import {
  acquireConference,
  deleteNode,
  findAbandoned,
  findOrphaned,
  findTakenOver,
  purgeNodes,
  renewNode,
} from "../rows/host-queries";
import { findExpiredParticipants, findSeatedParticipants } from "../rows/participant-queries";
import { findChangedRights } from "../rows/participant-rights-queries";
import { type HostDeps, NotHostedError } from "./host-deps";
import { HostedConference } from "./hosted-conference";
import { SingleRun } from "./single-run";

/**
 * Interval of the renewal of this node's lease, and of the search for conferences of dead nodes, in milliseconds: a
 * quarter of the lease, so that a database or an event loop that is slow for a second costs nothing.
 */
const TICK_MS = 500;
/** Ticks between two searches for what is over. */
const TICKS_PER_CHECK = 2;

/** The conferences that this node hosts. */
export class HostRegistry {
  private readonly hosted = new Map<number, HostedConference>();
  private readonly acquiring = new Map<number, Promise<HostedConference | null>>();
  /** Conferences whose row may still name this node as host; retried until resolved. */
  private readonly unsettled = new Set<number>();
  /** What still ends of a dropped conference, so that it does not close the next one's room. */
  private readonly dropping = new Map<number, Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  /** Alone, so that nothing that waits for a media server delays it. */
  private readonly renewal: SingleRun;
  private readonly search: SingleRun;
  private ticks = 0;
  private closing = false;

  /** @param watched the conferences whose events this node's subscribers receive */
  constructor(
    private readonly deps: HostDeps,
    private readonly watched: () => number[],
  ) {
    const onError = (error: unknown) =>
      deps.log.warn({ err: error }, "conferences could not be checked");
    this.renewal = new SingleRun(() => this.renew(), onError);
    this.search = new SingleRun(() => this.tick(), onError);
  }

  /** The conference, if this node hosts it. */
  get(conferenceId: number): HostedConference | undefined {
    return this.hosted.get(conferenceId);
  }

  /** Writes the statistics of /metrics. */
  private measure(): void {
    const { metrics, engine } = this.deps;
    const conferences = [...this.hosted.values()];
    metrics.conferences.set(conferences.length);
    metrics.conferenceParticipants.set(conferences.reduce((all, { size }) => all + size, 0));
    metrics.conferenceTracks.set(engine?.usage().tracks ?? 0);
  }

  /** Begins to host a conference. @returns null if another node hosts it, or it is closed or does not exist */
  acquire(conferenceId: number): Promise<HostedConference | null> {
    const running = this.acquiring.get(conferenceId);
    if (running) return running;
    const acquiring = this.acquireNow(conferenceId).finally(() => {
      this.acquiring.delete(conferenceId);
    });
    this.acquiring.set(conferenceId, acquiring);
    return acquiring;
  }

  private async acquireNow(conferenceId: number): Promise<HostedConference | null> {
    const known = this.hosted.get(conferenceId);
    if (known) return known;
    await this.dropping.get(conferenceId);
    if (this.closing) return null;
    const { store, node, alone } = this.deps;
    await renewNode(store, node);
    this.unsettled.add(conferenceId);
    this.start();
    const row = await acquireConference(store, conferenceId, node, alone);
    if (!row) {
      this.unsettled.delete(conferenceId);
      return null;
    }
    const participants = await findSeatedParticipants(store, conferenceId);
    const conference: HostedConference = new HostedConference(
      this.deps,
      conferenceId,
      row,
      participants,
      () => this.drop(conference),
    );
    this.hosted.set(conferenceId, conference);
    this.unsettled.delete(conferenceId);
    try {
      await conference.takeOver(row);
    } catch (error) {
      // The next attempt finishes what this one could not.
      this.hosted.delete(conferenceId);
      this.unsettled.add(conferenceId);
      await conference.forget();
      throw error;
    }
    return conference;
  }

  /** Forgets a conference whose rows this node does not know any more, and finds out whether it hosts it. */
  private drop(conference: HostedConference): void {
    const { id } = conference;
    if (this.hosted.get(id) !== conference) return;
    this.hosted.delete(id);
    this.unsettled.add(id);
    const dropping = conference
      .abandon()
      .catch((error: unknown) => this.logFailure(error, id))
      .finally(() => this.dropping.delete(id));
    this.dropping.set(id, dropping);
  }

  /** Passes an event of the engine to the conferences. */
  onEngineEvent(event: EngineEvent): void {
    for (const conference of this.hosted.values()) conference.onEngineEvent(event);
  }

  /** Removes guests whose tokens have ended from a conference, if this node hosts it. */
  checkGuests(conferenceId: number): void {
    void this.guarded(conferenceId, (conference) => conference.checkRights());
  }

  /** Hosts what no node does and something is due of, so that participants leave and empty conferences close. */
  async adoptAbandoned(): Promise<void> {
    await purgeNodes(this.deps.store);
    await this.acquireAll(await findAbandoned(this.deps.store));
  }

  /** Starts the timer; called when there is something to watch or to host. */
  start(): void {
    if (this.timer || this.closing) return;
    this.timer = setInterval(() => {
      this.renewal.start();
      this.search.start();
    }, TICK_MS);
    this.timer.unref();
  }

  /** Gives up all conferences, so that other nodes take over at once. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.timer) clearInterval(this.timer);
    await Promise.all([this.renewal.ended(), this.search.ended()]);
    for (const conference of [...this.hosted.values()]) {
      this.hosted.delete(conference.id);
      await conference.release().catch((error: unknown) => this.logFailure(error, conference.id));
    }
    await Promise.all(this.dropping.values());
    await deleteNode(this.deps.store, this.deps.node);
  }

  private async renew(): Promise<void> {
    if (this.hosted.size > 0) await renewNode(this.deps.store, this.deps.node);
  }

  private async tick(): Promise<void> {
    const { store, alone } = this.deps;
    const foreign = alone ? [] : this.watched().filter((id) => !this.hosted.has(id));
    const orphaned = foreign.length > 0 ? await findOrphaned(store, foreign) : [];
    await this.acquireAll([...this.unsettled, ...orphaned]);
    this.ticks += 1;
    if (this.ticks % TICKS_PER_CHECK === 0) await this.check(foreign.length > 0);
  }

  /**
   * Removes expired participants, drops conferences that another node hosts, and releases idle ones.
   * @param isWatching whether there are subscribers of conferences of other nodes
   */
  private async check(isWatching: boolean): Promise<void> {
    this.measure();
    const { store, node, clock } = this.deps;
    if (this.hosted.size === 0) {
      if (!isWatching && this.unsettled.size === 0) this.stop();
      return;
    }
    // A node that was taken for dead learns of its successor, so that it does not forward media of participants who
    // left.
    for (const id of await findTakenOver(store, [...this.hosted.keys()], node)) {
      const conference = this.hosted.get(id);
      if (conference) this.drop(conference);
    }
    const expired = await findExpiredParticipants(store, [...this.hosted.keys()]);
    for (const { conferenceId, participantId } of expired) {
      await this.guarded(conferenceId, (conference) => conference.remove(participantId, "left"));
    }
    const now = new Date(clock.now());
    for (const rights of await findChangedRights(store, [...this.hosted.keys()], now)) {
      await this.guarded(rights.conferenceId, (conference) => conference.applyRights(rights));
    }
    for (const [id, conference] of [...this.hosted]) {
      conference.check();
      if (conference.isIdle()) await this.guarded(id, (idle) => this.endIdle(idle));
    }
  }

  private async endIdle(conference: HostedConference): Promise<void> {
    if (await conference.endIdle()) this.hosted.delete(conference.id);
  }

  private async guarded(
    conferenceId: number,
    act: (conference: HostedConference) => Promise<void>,
  ): Promise<void> {
    const conference = this.hosted.get(conferenceId);
    if (!conference) return;
    try {
      await act(conference);
    } catch (error) {
      // What fails for one conference must not keep the others from being checked.
      this.logFailure(error, conferenceId);
    }
  }

  private async acquireAll(conferenceIds: number[]): Promise<void> {
    for (const id of conferenceIds) {
      try {
        await this.acquire(id);
      } catch (error) {
        this.logFailure(error, id);
      }
    }
  }

  private logFailure(error: unknown, conference: number): void {
    if (error instanceof NotHostedError) return;
    this.deps.log.warn({ err: error, conference }, "a conference could not be checked");
  }

  private stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}
