import { Fault } from "../../../core/errors";
import type { Transaction } from "../../../platform/store/store";
import type {
  ConnectedPeer,
  EngineEvent,
  Feed,
  MediaSource,
  PeerMessage,
  PeerResponse,
} from "../engine/engine";
import { publishConferenceChange } from "../events/application-channel";
import { EventLog } from "../events/event-log";
import {
  type ConferenceParticipantState,
  LEGACY_EMPTY_SECONDS,
  type ParticipantIdentity,
  type ParticipantRef,
} from "../model/conference";
import type {
  ConferenceEvent,
  ConferenceState,
  EndReason,
  LeaveReason,
  NewEvent,
} from "../model/conference-event";
import type { MuteChange, ParticipantStats, PeerOwner } from "../peers/peer";
import {
  type AcquiredConference,
  advanceConference,
  closeConferenceRow,
  type HostRef,
  nextGeneration,
  noteEmpty,
  releaseConference,
  writeConference,
} from "../rows/host-queries";
import { deleteGuests } from "../rows/link-rights-queries";
import {
  type NewParticipant,
  type Participant,
  participantState,
  writeLeave,
  writeLeaveAll,
  writeMedia,
} from "../rows/participant-queries";
import {
  type ChangedRights,
  findChangedRights,
  writeModerator,
} from "../rows/participant-rights-queries";
import { type HostDeps, NotHostedError } from "./host-deps";
import { type EngineOwner, HostedEngine } from "./hosted-engine";
import { type JoinResult, joinResult, newParticipantOf, seatEvent, seatParticipant } from "./seats";
import { SingleRun } from "./single-run";

/** A conference on its host (docs/CONFERENCES.md has the diagram of its states). */
type HostState =
  /** It has participants. */
  | { name: "occupied" }
  /** It has none, since a time in milliseconds of the clock. It closes at another one, if it does not stay open. */
  | { name: "empty"; since: number; closesAt: number | null }
  /**
   * It is closed, released or dropped; final. A host drops what another node hosts, and what it does not know any more,
   * since the outcome of a commit is unknown. Every change throws NotHostedError.
   */
  | { name: "over" };

/** What a change of the settings answers, also to another node. */
export interface UpdatedConference extends ConferenceState {
  /** Absent if the host is of an earlier version, which does not store `emptyAfterSeconds`. */
  closesWhenEmpty?: true;
}

/** A taken seat. */
interface Seat {
  participant: Participant;
  /** Stops watching the session of the participant. */
  unwatch(): void;
}

/** How long a node hosts a conference without participants, in milliseconds. */
const IDLE_MS = 30_000;
/** Maximum number of changes that wait. */
const WAITING_MAX = 1_000;

/**
 * A conference on the node that hosts it. Changes of rows run one after the other. Each locks the row of the
 * conference, which fails when another node hosts it, and counts one event, which is appended after the commit.
 */
export class HostedConference implements EngineOwner {
  readonly application: number;
  readonly settings: ConferenceState;
  private state: HostState;
  private readonly seats = new Map<number, Seat>();
  private readonly engine: HostedEngine;
  private readonly log: EventLog;
  /** In the row; the row of another generation refuses changes. */
  private generation: number;
  /** Number of the last event. */
  private sequence: number;
  private lastChange: Promise<unknown> = Promise.resolve();
  private waitingChanges = 0;
  /** Of participants who are being removed: one for each, so that removals have a bound of their own. */
  private readonly removals = new Map<number, Promise<void>>();
  private readonly recovery: SingleRun;

  /** @param onOver called when the conference must be dropped, and its rows read again by its next host */
  constructor(
    private readonly deps: HostDeps,
    readonly id: number,
    row: AcquiredConference,
    participants: Participant[],
    private readonly onOver: () => void,
  ) {
    const { name, seats, video, access, locked, bitrate } = row;
    const isLegacy = row.origin === "legacy";
    const emptyAfterSeconds = isLegacy ? LEGACY_EMPTY_SECONDS : row.empty_after_seconds;
    this.application = row.application_id;
    this.settings = { id, name, seats, video, access, locked, bitrate, emptyAfterSeconds };
    this.generation = row.generation;
    this.sequence = row.sequence;
    this.state = row.is_empty ? this.emptyFor(row.closes_in_ms) : this.emptied();
    for (const participant of participants) this.seat(participant);
    this.log = new EventLog(deps.bus, deps.log, id, () => this.numbered(this.snapshot()));
    this.engine = new HostedEngine(deps, this);
    this.recovery = new SingleRun(
      () => this.recover(),
      (error) => this.logFailure(error),
    );
  }

  // From its take-over to its end

  /** Resumes what the engine still has after another process hosted the conference, and announces the state. */
  async takeOver(row: AcquiredConference): Promise<void> {
    if (this.size === 0) {
      // Its participants were deleted with their users while no host lived.
      if (!row.is_empty) await this.run(() => noteEmpty(this.deps.store, this.id));
      return;
    }
    const isLost = await this.engine.resume(row);
    await this.run(async () => {
      const stopped = this.stopped();
      for (const participant of stopped) this.note(participant);
      await this.change(
        async (transaction) => {
          for (const participant of stopped) await writeMedia(transaction, participant);
        },
        () => this.snapshot(),
      );
      if (isLost) await this.announceReconnect();
    });
    // While no host lived, nobody has noticed what ended.
    await Promise.all(this.participants().map((participant) => this.checkSession(participant)));
    await this.checkRights();
  }

  /** Changes the settings. */
  async update(changes: Partial<Omit<ConferenceState, "id">>): Promise<UpdatedConference> {
    const updated = await this.run(async () => {
      const conference = { ...this.settings, ...changes };
      await this.change(
        (transaction) => writeConference(transaction, conference),
        (closesInMs) => {
          Object.assign(this.settings, conference);
          const { state } = this;
          if (state.name === "empty") {
            this.state = { ...this.emptyFor(closesInMs), since: state.since };
          }
          return { type: "conference-updated", conference };
        },
      );
      return conference;
    });
    if (changes.bitrate !== undefined) await this.engine.update();
    return { ...updated, closesWhenEmpty: true };
  }

  /** Whether there has been no participant for so long that the conference closes or is released. */
  isIdle(): boolean {
    const { state } = this;
    return (
      state.name === "empty" && (this.isDue() || this.deps.clock.now() - state.since >= IDLE_MS)
    );
  }

  /** Whether it has been empty until it closes. */
  private isDue(): boolean {
    const { state } = this;
    if (state.name !== "empty" || state.closesAt === null) return false;
    return this.deps.clock.now() >= state.closesAt;
  }

  /** It is empty, and closes in some milliseconds, unless that is null. */
  private emptyFor(closesInMs: number | null): HostState & { name: "empty" } {
    const since = this.deps.clock.now();
    return { name: "empty", since, closesAt: closesInMs === null ? null : since + closesInMs };
  }

  /** It has become empty. */
  private emptied(): HostState {
    const { emptyAfterSeconds } = this.settings;
    return this.emptyFor(emptyAfterSeconds === 0 ? null : emptyAfterSeconds * 1_000);
  }

  /** Closes an idle conference that is due, and gives up the hosting of another one. @returns false if somebody has joined */
  async endIdle(): Promise<boolean> {
    return this.run(async () => {
      if (!this.isIdle()) return false;
      await (this.isDue() ? this.closeNow("conference-closed") : this.releaseNow());
      return true;
    });
  }

  /** Closes the conference; its participants are out. */
  async close(reason: EndReason = "conference-closed"): Promise<void> {
    await this.run(() => this.closeNow(reason));
  }

  /** Call it within {@link run}. */
  private async closeNow(reason: EndReason): Promise<void> {
    await this.change(
      async (transaction) => {
        await writeLeaveAll(transaction, this.id, reason);
        await closeConferenceRow(transaction, this.id);
      },
      () => ({ type: "ended", reason }),
    );
    this.tellGuests();
    await this.abandon();
  }

  /** Gives up the hosting at shutdown. */
  async release(): Promise<void> {
    await this.run(() => this.releaseNow());
  }

  /** Call it within {@link run}. */
  private async releaseNow(): Promise<void> {
    if (this.size > 0) await this.engine.leaveRoom();
    await releaseConference(this.deps.store, this.ref());
    await this.abandon();
  }

  /** Ends only here; the engine keeps what the next take-over resumes. */
  async forget(): Promise<void> {
    await this.engine.leaveRoom();
    await this.abandon();
  }

  /**
   * Ends without a change of rows: this node does not know them any more. Events that were appended are stored first,
   * if the bus can be reached.
   */
  async abandon(): Promise<void> {
    this.state = { name: "over" };
    for (const id of [...this.seats.keys()]) this.unseat(id);
    await this.log.flush();
    this.log.close();
    await this.engine.closeRoom();
  }

  // Participants

  /** Number of participants. */
  get size(): number {
    return this.seats.size;
  }

  /**
   * Takes a seat, or the seat of the participant's other device.
   * @throws Fault FULL, FORBIDDEN, LIMITED, UNAUTHENTICATED
   */
  async join(
    identity: ParticipantIdentity,
    moderator: boolean,
    legacy: boolean,
  ): Promise<JoinResult> {
    const newParticipant = newParticipantOf(this.id, identity, moderator, legacy);
    const participant = await this.run(() => this.takeSeat(newParticipant));
    await this.admit(participant);
    return joinResult(participant);
  }

  private async takeSeat(newParticipant: NewParticipant): Promise<Participant> {
    const earlier = this.withNumber(newParticipant.number);
    const participant = await this.change(
      (transaction) => seatParticipant(transaction, newParticipant, this.settings),
      (taken) => {
        this.seat(taken);
        return seatEvent(taken);
      },
    );
    if (earlier?.id === participant.id) {
      const { id: participantId, generation } = earlier;
      this.send({ type: "replaced", to: { participantId, generation } });
      await this.engine.closeParticipant(earlier);
    }
    return participant;
  }

  /** Leaves, if the membership still is the current one. */
  async leave(ref: ParticipantRef): Promise<void> {
    const participant = this.participant(ref.participantId);
    if (participant && participant.number !== ref.number) throw notAParticipant();
    if (participant?.generation === ref.generation) await this.remove(participant.id, "left");
  }

  /**
   * Removes the participants with these numbers. With `removed`, guests by link need a link to come back, also those
   * without a seat.
   */
  async removeNumbers(numbers: number[], reason: LeaveReason): Promise<void> {
    const found = this.participants().filter(({ number }) => numbers.includes(number));
    for (const { id } of found) await this.remove(id, reason);
    if (reason !== "removed") return;
    // A guest may be about to come back, or a removal for another reason may have come first.
    if (await deleteGuests(this.deps.store, this.id, numbers)) this.tellGuests();
  }

  /**
   * Removes a participant; no error if it is gone. The token of a guest ends with `removed`, in the same transaction.
   * It never waits for room in the queue: a participant that fills the queue must not delay its removal.
   */
  remove(participantId: number, reason: LeaveReason): Promise<void> {
    const running = this.removals.get(participantId);
    if (running) return running;
    const removal = this.runAlways(() => this.freeSeat(participantId, reason)).finally(() => {
      this.removals.delete(participantId);
    });
    this.removals.set(participantId, removal);
    return removal;
  }

  private async freeSeat(participantId: number, reason: LeaveReason): Promise<void> {
    const participant = this.participant(participantId);
    if (!participant) return;
    const { number } = participant;
    const isGuest = participant.userId === null;
    await this.change(
      async (transaction) => {
        // The row is gone when the user was deleted.
        await writeLeave(transaction, participantId, reason);
        await noteEmpty(transaction, this.id);
        if (isGuest && reason === "removed") await deleteGuests(transaction, this.id, [number]);
      },
      () => {
        this.unseat(participantId);
        return { type: "participant-left", participantId, number, reason };
      },
    );
    if (isGuest && reason !== "left") this.tellGuests();
    await this.engine.closeParticipant(participant);
  }

  /** Every node closes the connections of guests whose tokens have ended. */
  private tellGuests(): void {
    this.deps.sessionEvents.publish({ kind: "guests", conferenceId: this.id });
  }

  /** Adds a participant, or replaces what is known of it, and watches its session on every node. */
  private seat(participant: Participant): void {
    // A change may commit after the conference is dropped: its next host watches the participant.
    if (this.state.name === "over") return;
    this.unseat(participant.id);
    this.state = { name: "occupied" };
    const { userId, sessionId } = participant;
    const { sessionEvents } = this.deps;
    const check = () => this.background(() => this.checkSession(participant));
    const stops = [sessionEvents.track({ userId, sessionId, close: check })];
    if (sessionId !== null) stops.push(sessionEvents.onSessionEvent(sessionId, check));
    const unwatch = () => {
      for (const stop of stops) stop();
    };
    this.seats.set(participant.id, { participant, unwatch });
  }

  private unseat(participantId: number): void {
    this.seats.get(participantId)?.unwatch();
    const wasLast = this.seats.delete(participantId) && this.size === 0;
    if (wasLast && this.state.name === "occupied") {
      this.state = this.emptied();
    }
  }

  /** Notes what a participant sends or may do. */
  private note(participant: Participant): void {
    const seat = this.seats.get(participant.id);
    if (seat) seat.participant = participant;
  }

  /** The participants by the time they joined. */
  private participants(): Participant[] {
    return [...this.seats.values()].map(({ participant }) => participant);
  }

  private participant(participantId: number): Participant | undefined {
    return this.seats.get(participantId)?.participant;
  }

  private withNumber(number: number): Participant | undefined {
    return this.participants().find((participant) => participant.number === number);
  }

  has({ participantId, generation }: Pick<PeerOwner, "participantId" | "generation">): boolean {
    return this.participant(participantId)?.generation === generation;
  }

  /** The owner of the peers of a membership. @throws Fault NOT_FOUND, CONFLICT if another device has taken the seat */
  private ownerOf({ participantId, number, generation }: ParticipantRef): PeerOwner {
    const participant = this.participant(participantId);
    if (participant?.number !== number) throw notAParticipant();
    if (participant.generation !== generation) {
      throw new Fault("CONFLICT", "Another device has taken this seat");
    }
    return { participantId, number, generation };
  }

  // Rights of participants: their session, link or listing may end at any node

  /**
   * Checks a participant that has just taken its seat: what it was allowed to do may have ended by now.
   * @throws Fault UNAUTHENTICATED, NOT_FOUND for a user who may not join any more
   */
  private async admit(participant: Participant): Promise<void> {
    const [isAuthorized, changed] = await Promise.all([
      this.deps.isAuthorized(participant),
      this.findChangedRights(),
    ]);
    const reason = changed.find(
      ({ participantId }) => participantId === participant.id,
    )?.leaveReason;
    if (reason) await this.remove(participant.id, reason);
    else if (!isAuthorized) await this.remove(participant.id, "session-ended");
    else return;
    if (reason === "removed") throw new Fault("NOT_FOUND", "There is no such conference");
    throw Fault.noSession();
  }

  /** Removes a participant whose session or user has ended. */
  private async checkSession(participant: Participant): Promise<void> {
    const { id: participantId, generation } = participant;
    if (!this.has({ participantId, generation }) || (await this.deps.isAuthorized(participant)))
      return;
    await this.remove(participantId, "session-ended");
  }

  /** Removes at once who may not be in the conference any more, after its lists or links have changed. */
  async checkRights(): Promise<void> {
    for (const rights of await this.findChangedRights()) await this.applyRights(rights);
  }

  private findChangedRights(): Promise<ChangedRights[]> {
    const { store, clock } = this.deps;
    return findChangedRights(store, [this.id], new Date(clock.now()));
  }

  /** Applies the changed rights of a participant. */
  async applyRights({ participantId, leaveReason, moderator }: ChangedRights): Promise<void> {
    if (leaveReason) return this.remove(participantId, leaveReason);
    await this.run(async () => {
      const participant = this.participant(participantId);
      if (!participant || participant.moderator === moderator) return;
      await this.changeParticipant({ ...participant, moderator }, (transaction) =>
        writeModerator(transaction, participantId, moderator),
      );
    });
  }

  // Peer connections of participants

  async publish(ref: ParticipantRef, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    const owner = this.ownerOf(ref);
    if (source === "screen" && !this.settings.video) {
      throw new Fault("FORBIDDEN", "The conference is for audio only");
    }
    return this.requireCurrent(ref, await this.engine.publish(owner, source, offer));
  }

  async watch(ref: ParticipantRef, feed?: Feed | null): Promise<ConnectedPeer> {
    const owner = this.ownerOf(ref);
    return this.requireCurrent(ref, await this.engine.watch(owner, feed ?? undefined));
  }

  /** Closes a peer whose participant has left or rejoined while it was opened. */
  private async requireCurrent(
    ref: ParticipantRef,
    connected: ConnectedPeer,
  ): Promise<ConnectedPeer> {
    try {
      this.ownerOf(ref);
    } catch (error) {
      await this.engine.closePeer(ref, connected.peer);
      throw error;
    }
    return connected;
  }

  async signal(ref: ParticipantRef, peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.engine.signal(this.ownerOf(ref), peer, message);
  }

  async closePeer(ref: ParticipantRef, peer: string): Promise<void> {
    await this.engine.closePeer(this.ownerOf(ref), peer);
  }

  /** What the media server has last reported of the peers. The name is that of the command, which older nodes know. */
  async figures(): Promise<ParticipantStats[]> {
    return this.engine.stats();
  }

  /** Sends the participant what only it can have missed: the streams of its watching peers. */
  async repeatStreams(ref: ParticipantRef): Promise<void> {
    this.engine.repeatStreams(this.ownerOf(ref));
  }

  // What participants send, as the others are told: what is muted, and whether media arrives

  /** Tells the others what a participant has muted itself. Unmuting ends a moderator's mute. */
  async setMuted(
    ref: ParticipantRef,
    { audio, video }: MuteChange,
  ): Promise<ConferenceParticipantState> {
    const unmuted = { ...(audio === false && { audio }), ...(video === false && { video }) };
    return this.mute(this.ownerOf(ref).participantId, unmuted, (participant) => ({
      audioMuted: audio ?? participant.audioMuted,
      videoMuted: video ?? participant.videoMuted,
      audioBlocked: participant.audioBlocked && audio !== false,
      videoBlocked: participant.videoBlocked && video !== false,
    }));
  }

  /**
   * Mutes a participant by number: its media is dropped, also after a rejoin, until a moderator or the participant
   * itself unmutes it. What the participant has muted itself stays muted. @throws Fault NOT_FOUND
   */
  async muteParticipant(number: number, change: MuteChange): Promise<ConferenceParticipantState> {
    const found = this.withNumber(number);
    if (!found) throw notAParticipant();
    return this.mute(found.id, change, (participant) => ({
      audioBlocked: change.audio ?? participant.audioBlocked,
      videoBlocked: change.video ?? participant.videoBlocked,
    }));
  }

  /** @param blocked of which kinds the engine learns what is blocked */
  private async mute(
    participantId: number,
    blocked: MuteChange,
    mutes: (participant: Participant) => Partial<Participant>,
  ): Promise<ConferenceParticipantState> {
    const muted = await this.run(async () => {
      const participant = this.participant(participantId);
      if (!participant) throw notAParticipant();
      return this.changeMedia({ ...participant, ...mutes(participant) });
    });
    await this.engine.block(participantId, blocked);
    return participantState(muted);
  }

  blocked(participantId: number): Required<MuteChange> {
    const participant = this.participant(participantId);
    return { audio: participant?.audioBlocked ?? false, video: participant?.videoBlocked ?? false };
  }

  /** A feed of a membership begins or ends. */
  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void {
    this.background(() =>
      this.run(async () => {
        const participant = this.participant(owner.participantId);
        // What the engine says now: a replaced peer may have come up by now.
        if (participant?.generation !== owner.generation || this.engine.isUp(owner, source) !== up)
          return;
        await this.changeMedia({
          ...participant,
          ...(source === "main" ? { publishing: up } : { screen: up }),
        });
      }),
    );
  }

  /** The participants whose media has ended with the former host, as they are now. */
  private stopped(): Participant[] {
    return this.participants()
      .filter(
        ({ id, generation, publishing, screen }) =>
          (publishing || screen) && !this.engine.isUp({ participantId: id, generation }),
      )
      .map((participant) => ({ ...participant, publishing: false, screen: false }));
  }

  /** A participant with what arrives of it; null if that is what its row says. */
  private actual(participant: Participant): Participant | null {
    const owner = { participantId: participant.id, generation: participant.generation };
    const publishing = this.engine.isUp(owner, "main");
    const screen = this.engine.isUp(owner, "screen");
    if (publishing === participant.publishing && screen === participant.screen) return null;
    return { ...participant, publishing, screen };
  }

  private changeMedia(participant: Participant): Promise<Participant> {
    return this.changeParticipant(participant, (transaction) =>
      writeMedia(transaction, participant),
    );
  }

  // Recovery: a media server that ends and comes back, and what the database has prevented

  onEngineEvent(event: EngineEvent): void {
    this.engine.onEvent(event);
  }

  /** Nobody publishes any more. */
  onRoomLost(): void {
    this.background(() => this.run(() => this.correct()));
  }

  /**
   * Retries what an outage of the database or the media server prevented; called when the engine answers again, and
   * every second.
   */
  check(): void {
    this.recovery.start();
  }

  private async recover(): Promise<void> {
    const { engine } = this;
    if (engine.state === "harmful") return this.close("media-failure");
    if (engine.state === "renewable") {
      await this.run(async () => {
        await this.raiseGeneration();
        await this.announceReconnect();
      });
      await engine.renew();
    }
    const isCorrect = this.participants().every((participant) => this.actual(participant) === null);
    if (!isCorrect) await this.run(() => this.correct());
  }

  /**
   * Writes what arrives of participants where the rows differ, because a change has failed; call it within {@link run}.
   */
  private async correct(): Promise<void> {
    for (const { id } of this.participants()) {
      const participant = this.participant(id);
      const actual = participant && this.actual(participant);
      if (actual) await this.changeMedia(actual);
    }
  }

  /** Call it within {@link run}. @throws NotHostedError */
  private async raiseGeneration(): Promise<void> {
    const next = await nextGeneration(this.deps.store, this.ref());
    if (next === null) throw new NotHostedError();
    this.generation = next;
  }

  /** Tells the participants to publish and to watch again; call it within {@link run}. */
  private async announceReconnect(): Promise<void> {
    if (this.size === 0) return;
    await this.change(
      async () => undefined,
      () => ({ type: "reconnect" }),
    );
  }

  // Changes of rows, and events

  ref(): HostRef {
    return { conferenceId: this.id, node: this.deps.node, generation: this.generation };
  }

  /**
   * Runs work after all earlier work.
   * @throws NotHostedError, Fault UNAVAILABLE when too much waits, errors of the work
   */
  private async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.waitingChanges >= WAITING_MAX) {
      throw new Fault("UNAVAILABLE", "The conference is overloaded", undefined, 1);
    }
    return this.runAlways(work);
  }

  /** As {@link run}, however much waits. */
  private runAlways<T>(work: () => Promise<T>): Promise<T> {
    this.waitingChanges += 1;
    const result = this.lastChange
      .then(() => {
        if (this.state.name === "over") throw new NotHostedError();
        return work();
      })
      .catch((error: unknown) => {
        if (error instanceof NotHostedError) this.onOver();
        throw error;
      })
      .finally(() => {
        this.waitingChanges -= 1;
      });
    this.lastChange = result.catch(() => undefined);
    return result;
  }

  /** Starts work whose failure nobody waits for. */
  private background(work: () => Promise<void>): void {
    work().catch((error) => this.logFailure(error));
  }

  /**
   * Changes rows under the lock of the conference, and then appends the event; call it within {@link run}. If the
   * outcome of the commit is unknown, the conference is over here.
   * @param apply changes the state in memory after the commit, and makes the event. Both happen at once, so that a
   * snapshot never lacks a change whose number it has
   * @throws NotHostedError, errors of `act`
   */
  private async change<T>(
    act: (transaction: Transaction) => Promise<T>,
    apply: (result: T) => NewEvent,
  ): Promise<T> {
    let isCommitting = false;
    const { store } = this.deps;
    const transaction = store.transaction(async (open) => {
      const sequence = await advanceConference(open, this.ref());
      if (sequence === null) throw new NotHostedError();
      const result = await act(open);
      isCommitting = true;
      return { sequence, result };
    });
    const { sequence, result } = await transaction.catch((error: unknown) => {
      if (isCommitting) this.onOver();
      throw error;
    });
    const event = apply(result);
    this.sequence = sequence;
    this.log.append(this.numbered(event));
    publishConferenceChange(this.deps, this.application, this.id);
    return result;
  }

  /** Changes the row of a participant, and tells the others; call it within {@link run}. */
  private async changeParticipant(
    participant: Participant,
    write: (transaction: Transaction) => Promise<void>,
  ): Promise<Participant> {
    await this.change(write, () => {
      this.note(participant);
      return {
        type: "participant-updated",
        participant: participantState(participant),
        rejoined: false,
      };
    });
    return participant;
  }

  /** Appends an event for one participant, which changes no rows. */
  send(event: ConferenceEvent): void {
    this.log.append(event);
  }

  private snapshot() {
    const participants = this.participants().map(participantState);
    return { type: "snapshot" as const, conference: { ...this.settings }, participants };
  }

  private numbered(event: NewEvent): ConferenceEvent {
    return { ...event, sequence: this.sequence } as ConferenceEvent;
  }

  private logFailure(error: unknown): void {
    if (error instanceof NotHostedError) return;
    this.deps.log.warn({ err: error }, "a change of a conference failed");
  }
}

/** NOT_FOUND for a participant. */
export function notAParticipant(): Fault {
  return new Fault("NOT_FOUND", "There is no such participant in the conference");
}
