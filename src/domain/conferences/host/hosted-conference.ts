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
import { EMPTY_MS, type MemberRef, type MemberState, type Participant } from "../model/conference";
import type {
  ConferenceEvent,
  ConferenceState,
  EndReason,
  LeaveReason,
  NewEvent,
} from "../model/conference-event";
import type { MemberStats, MuteChange, PeerOwner } from "../peers/peer";
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
  type Member,
  memberState,
  type NewMember,
  writeLeave,
  writeLeaveAll,
  writeMedia,
} from "../rows/member-queries";
import {
  type ChangedRights,
  findChangedRights,
  writeModerator,
} from "../rows/member-rights-queries";
import { type HostDeps, NotHostedError } from "./host-deps";
import { type EngineOwner, HostedEngine } from "./hosted-engine";
import { type JoinResult, joinResult, newMemberOf, seatEvent, seatMember } from "./seats";
import { SingleRun } from "./single-run";

/** A conference on its host (docs/CONFERENCES.md has the diagram of its states). */
type HostState =
  /** It has members. */
  | { name: "occupied" }
  /** It has none, since a time in milliseconds of the clock. After EMPTY_MS it ends or is released. */
  | { name: "empty"; since: number }
  /**
   * It is closed, released or dropped; final. A host drops what another node hosts, and what it does not know any more,
   * since the outcome of a commit is unknown. Every change throws NotHostedError.
   */
  | { name: "over" };

/** A taken seat. */
interface Seat {
  member: Member;
  /** Stops watching the session of the member. */
  unwatch(): void;
}

/** Maximum number of changes that wait. */
const WAITING_MAX = 1_000;

/**
 * A conference on the node that hosts it. Changes of rows run one after the other. Each locks the row of the conference,
 * which fails when another node hosts it, and counts one event, which is appended after the commit.
 */
export class HostedConference implements EngineOwner {
  readonly application: number;
  readonly settings: ConferenceState;
  /** Whether it ends, instead of being released, when it is idle. */
  readonly closesWhenIdle: boolean;
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
  /** Of members who are being removed: one for each, so that removals have a bound of their own. */
  private readonly removals = new Map<number, Promise<void>>();
  private readonly recovery: SingleRun;

  /** @param onOver called when the conference must be dropped, and its rows read again by its next host */
  constructor(
    private readonly deps: HostDeps,
    readonly id: number,
    row: AcquiredConference,
    members: Member[],
    private readonly onOver: () => void,
  ) {
    const { name, seats, video, access, locked, bitrate } = row;
    this.application = row.application_id;
    this.settings = { id, name, seats, video, access, locked, bitrate };
    this.closesWhenIdle = row.origin === "legacy";
    this.generation = row.generation;
    this.sequence = row.sequence;
    this.state = { name: "empty", since: deps.clock.now() };
    for (const member of members) this.seat(member);
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
    if (this.size === 0) return;
    const isLost = await this.engine.resume(row);
    await this.run(async () => {
      const stopped = this.stopped();
      for (const member of stopped) this.note(member);
      await this.change(
        async (transaction) => {
          for (const member of stopped) await writeMedia(transaction, member);
        },
        () => this.snapshot(),
      );
      if (isLost) await this.announceReconnect();
    });
    // While no host lived, nobody has noticed what ended.
    await Promise.all(this.members().map((member) => this.checkSession(member)));
    await this.checkRights();
  }

  /** Changes the settings. */
  async update(changes: Partial<Omit<ConferenceState, "id">>): Promise<ConferenceState> {
    const updated = await this.run(async () => {
      const conference = { ...this.settings, ...changes };
      await this.change(
        (transaction) => writeConference(transaction, conference),
        () => {
          Object.assign(this.settings, conference);
          return { type: "conference-updated", conference };
        },
      );
      return conference;
    });
    if (changes.bitrate !== undefined) await this.engine.update();
    return updated;
  }

  /** Whether there has been no member for so long that the conference ends or is released. */
  isIdle(): boolean {
    const { state } = this;
    return state.name === "empty" && this.deps.clock.now() - state.since >= EMPTY_MS;
  }

  /** Closes the conference; its members are out. */
  async close(reason: EndReason = "conference-closed"): Promise<void> {
    await this.run(async () => {
      await this.change(
        async (transaction) => {
          await writeLeaveAll(transaction, this.id, reason);
          await closeConferenceRow(transaction, this.id);
        },
        () => ({ type: "ended", reason }),
      );
      this.tellGuests();
      await this.abandon();
    });
  }

  /** Gives up the hosting of an empty conference, or of all at shutdown. */
  async release(): Promise<void> {
    await this.run(async () => {
      if (this.size > 0) await this.engine.leaveRoom();
      await releaseConference(this.deps.store, this.ref());
      await this.abandon();
    });
  }

  /** Ends only here; the engine keeps what the next take-over resumes. */
  async forget(): Promise<void> {
    await this.engine.leaveRoom();
    await this.abandon();
  }

  /**
   * Ends without a change of rows: this node does not know them any more. Events that were appended are stored first, if
   * the bus can be reached.
   */
  async abandon(): Promise<void> {
    this.state = { name: "over" };
    for (const id of [...this.seats.keys()]) this.unseat(id);
    await this.log.flush();
    this.log.close();
    await this.engine.closeRoom();
  }

  // Members

  /** Number of members. */
  get size(): number {
    return this.seats.size;
  }

  /** Takes a seat, or the seat of the participant's other device. @throws Fault FULL, FORBIDDEN, LIMITED, UNAUTHENTICATED */
  async join(participant: Participant, moderator: boolean, legacy: boolean): Promise<JoinResult> {
    const newMember = newMemberOf(this.id, participant, moderator, legacy);
    const member = await this.run(() => this.takeSeat(newMember));
    await this.admit(member);
    return joinResult(member);
  }

  private async takeSeat(newMember: NewMember): Promise<Member> {
    const earlier = this.withNumber(newMember.number);
    const member = await this.change(
      (transaction) => seatMember(transaction, newMember, this.settings),
      (taken) => {
        this.seat(taken);
        return seatEvent(taken);
      },
    );
    if (earlier?.id === member.id) {
      const { id: memberId, generation } = earlier;
      this.send({ type: "replaced", to: { memberId, generation } });
      await this.engine.closeMember(earlier);
    }
    return member;
  }

  /** Leaves, if the membership still is the current one. */
  async leave(ref: MemberRef): Promise<void> {
    const member = this.member(ref.memberId);
    if (member && member.number !== ref.number) throw notAMember();
    if (member?.generation === ref.generation) await this.remove(member.id, "left");
  }

  /**
   * Removes the members with these numbers. With `removed`, guests by link need a link to come back, also those without
   * a seat.
   */
  async removeNumbers(numbers: number[], reason: LeaveReason): Promise<void> {
    const found = this.members().filter(({ number }) => numbers.includes(number));
    for (const { id } of found) await this.remove(id, reason);
    if (reason !== "removed") return;
    // A guest may be about to come back, or a removal for another reason may have come first.
    if (await deleteGuests(this.deps.store, this.id, numbers)) this.tellGuests();
  }

  /**
   * Removes a member; no error if it is gone. The token of a guest ends with `removed`, in the same transaction. It never
   * waits for room in the queue: a member that fills the queue must not delay its removal.
   */
  remove(memberId: number, reason: LeaveReason): Promise<void> {
    const running = this.removals.get(memberId);
    if (running) return running;
    const removal = this.runAlways(() => this.freeSeat(memberId, reason)).finally(() => {
      this.removals.delete(memberId);
    });
    this.removals.set(memberId, removal);
    return removal;
  }

  private async freeSeat(memberId: number, reason: LeaveReason): Promise<void> {
    const member = this.member(memberId);
    if (!member) return;
    const { number } = member;
    const isGuest = member.userId === null;
    await this.change(
      async (transaction) => {
        // The row is gone when the user was deleted.
        await writeLeave(transaction, memberId, reason);
        await noteEmpty(transaction, this.id);
        if (isGuest && reason === "removed") await deleteGuests(transaction, this.id, [number]);
      },
      () => {
        this.unseat(memberId);
        return { type: "member-left", memberId, number, reason };
      },
    );
    if (isGuest && reason !== "left") this.tellGuests();
    await this.engine.closeMember(member);
  }

  /** Every node closes the connections of guests whose tokens have ended. */
  private tellGuests(): void {
    this.deps.sessionEvents.publish({ kind: "guests", conferenceId: this.id });
  }

  /** Adds a member, or replaces what is known of it, and watches its session on every node. */
  private seat(member: Member): void {
    // A change may commit after the conference is dropped: its next host watches the member.
    if (this.state.name === "over") return;
    this.unseat(member.id);
    this.state = { name: "occupied" };
    const { userId, sessionId } = member;
    const { sessionEvents } = this.deps;
    const check = () => this.background(() => this.checkSession(member));
    const stops = [sessionEvents.track({ userId, sessionId, close: check })];
    if (sessionId !== null) stops.push(sessionEvents.onSessionEvent(sessionId, check));
    const unwatch = () => {
      for (const stop of stops) stop();
    };
    this.seats.set(member.id, { member, unwatch });
  }

  private unseat(memberId: number): void {
    this.seats.get(memberId)?.unwatch();
    const wasLast = this.seats.delete(memberId) && this.size === 0;
    if (wasLast && this.state.name === "occupied") {
      this.state = { name: "empty", since: this.deps.clock.now() };
    }
  }

  /** Notes what a member sends or may do. */
  private note(member: Member): void {
    const seat = this.seats.get(member.id);
    if (seat) seat.member = member;
  }

  /** The members by the time they joined. */
  private members(): Member[] {
    return [...this.seats.values()].map(({ member }) => member);
  }

  private member(memberId: number): Member | undefined {
    return this.seats.get(memberId)?.member;
  }

  private withNumber(number: number): Member | undefined {
    return this.members().find((member) => member.number === number);
  }

  has({ memberId, generation }: Pick<PeerOwner, "memberId" | "generation">): boolean {
    return this.member(memberId)?.generation === generation;
  }

  /** The owner of the peers of a membership. @throws Fault NOT_FOUND, CONFLICT if another device has taken the seat */
  private ownerOf({ memberId, number, generation }: MemberRef): PeerOwner {
    const member = this.member(memberId);
    if (member?.number !== number) throw notAMember();
    if (member.generation !== generation) {
      throw new Fault("CONFLICT", "Another device has taken this seat");
    }
    return { memberId, number, generation };
  }

  // Rights of members: their session, link or listing may end at any node

  /**
   * Checks a member that has just taken its seat: what it was allowed to do may have ended by now.
   * @throws Fault UNAUTHENTICATED, NOT_FOUND for a user who may not join any more
   */
  private async admit(member: Member): Promise<void> {
    const [isAuthorized, changed] = await Promise.all([
      this.deps.isAuthorized(member),
      this.findChangedRights(),
    ]);
    const reason = changed.find(({ memberId }) => memberId === member.id)?.leaveReason;
    if (reason) await this.remove(member.id, reason);
    else if (!isAuthorized) await this.remove(member.id, "session-ended");
    else return;
    if (reason === "removed") throw new Fault("NOT_FOUND", "There is no such conference");
    throw Fault.noSession();
  }

  /** Removes a member whose session or user has ended. */
  private async checkSession(member: Member): Promise<void> {
    const { id: memberId, generation } = member;
    if (!this.has({ memberId, generation }) || (await this.deps.isAuthorized(member))) return;
    await this.remove(memberId, "session-ended");
  }

  /** Removes at once who may not be in the conference any more, after its lists or links have changed. */
  async checkRights(): Promise<void> {
    for (const rights of await this.findChangedRights()) await this.applyRights(rights);
  }

  private findChangedRights(): Promise<ChangedRights[]> {
    const { store, clock } = this.deps;
    return findChangedRights(store, [this.id], new Date(clock.now()));
  }

  /** Applies the changed rights of a member. */
  async applyRights({ memberId, leaveReason, moderator }: ChangedRights): Promise<void> {
    if (leaveReason) return this.remove(memberId, leaveReason);
    await this.run(async () => {
      const member = this.member(memberId);
      if (!member || member.moderator === moderator) return;
      await this.changeMember({ ...member, moderator }, (transaction) =>
        writeModerator(transaction, memberId, moderator),
      );
    });
  }

  // Peer connections of members

  async publish(ref: MemberRef, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    const owner = this.ownerOf(ref);
    if (source === "screen" && !this.settings.video) {
      throw new Fault("FORBIDDEN", "The conference is for audio only");
    }
    return this.requireCurrent(ref, await this.engine.publish(owner, source, offer));
  }

  async watch(ref: MemberRef, feed?: Feed | null): Promise<ConnectedPeer> {
    const owner = this.ownerOf(ref);
    return this.requireCurrent(ref, await this.engine.watch(owner, feed ?? undefined));
  }

  /** Closes a peer whose member has left or rejoined while it was opened. */
  private async requireCurrent(ref: MemberRef, connected: ConnectedPeer): Promise<ConnectedPeer> {
    try {
      this.ownerOf(ref);
    } catch (error) {
      await this.engine.closePeer(ref, connected.peer);
      throw error;
    }
    return connected;
  }

  async signal(ref: MemberRef, peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.engine.signal(this.ownerOf(ref), peer, message);
  }

  async closePeer(ref: MemberRef, peer: string): Promise<void> {
    await this.engine.closePeer(this.ownerOf(ref), peer);
  }

  /** What the media server has last reported of the peers. The name is that of the command, which older nodes know. */
  async figures(): Promise<MemberStats[]> {
    return this.engine.stats();
  }

  /** Sends the member what only it can have missed: the streams of its watching peers. */
  async repeatStreams(ref: MemberRef): Promise<void> {
    this.engine.repeatStreams(this.ownerOf(ref));
  }

  // What members send, as the others are told: what is muted, and whether media arrives

  /** Tells the others what a member has muted itself. Unmuting ends a moderator's mute. */
  async setMuted(ref: MemberRef, { audio, video }: MuteChange): Promise<MemberState> {
    const unmuted = { ...(audio === false && { audio }), ...(video === false && { video }) };
    return this.mute(this.ownerOf(ref).memberId, unmuted, (member) => ({
      audioMuted: audio ?? member.audioMuted,
      videoMuted: video ?? member.videoMuted,
      audioBlocked: member.audioBlocked && audio !== false,
      videoBlocked: member.videoBlocked && video !== false,
    }));
  }

  /**
   * Mutes a member by number: its media is dropped, also after a rejoin, until a moderator or the member itself
   * unmutes it. What the member has muted itself stays muted. @throws Fault NOT_FOUND
   */
  async muteMember(number: number, change: MuteChange): Promise<MemberState> {
    const found = this.withNumber(number);
    if (!found) throw notAMember();
    return this.mute(found.id, change, (member) => ({
      audioBlocked: change.audio ?? member.audioBlocked,
      videoBlocked: change.video ?? member.videoBlocked,
    }));
  }

  /** @param blocked of which kinds the engine learns what is blocked */
  private async mute(
    memberId: number,
    blocked: MuteChange,
    mutes: (member: Member) => Partial<Member>,
  ): Promise<MemberState> {
    const muted = await this.run(async () => {
      const member = this.member(memberId);
      if (!member) throw notAMember();
      return this.changeMedia({ ...member, ...mutes(member) });
    });
    await this.engine.block(memberId, blocked);
    return memberState(muted);
  }

  blocked(memberId: number): Required<MuteChange> {
    const member = this.member(memberId);
    return { audio: member?.audioBlocked ?? false, video: member?.videoBlocked ?? false };
  }

  /** A feed of a membership begins or ends. */
  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void {
    this.background(() =>
      this.run(async () => {
        const member = this.member(owner.memberId);
        // What the engine says now: a replaced peer may have come up by now.
        if (member?.generation !== owner.generation || this.engine.isUp(owner, source) !== up)
          return;
        await this.changeMedia({
          ...member,
          ...(source === "main" ? { publishing: up } : { screen: up }),
        });
      }),
    );
  }

  /** The members whose media has ended with the former host, as they are now. */
  private stopped(): Member[] {
    return this.members()
      .filter(
        ({ id, generation, publishing, screen }) =>
          (publishing || screen) && !this.engine.isUp({ memberId: id, generation }),
      )
      .map((member) => ({ ...member, publishing: false, screen: false }));
  }

  /** A member with what arrives of it; null if that is what its row says. */
  private actual(member: Member): Member | null {
    const owner = { memberId: member.id, generation: member.generation };
    const publishing = this.engine.isUp(owner, "main");
    const screen = this.engine.isUp(owner, "screen");
    if (publishing === member.publishing && screen === member.screen) return null;
    return { ...member, publishing, screen };
  }

  private changeMedia(member: Member): Promise<Member> {
    return this.changeMember(member, (transaction) => writeMedia(transaction, member));
  }

  // Recovery: a media server that ends and comes back, and what the database has prevented

  onEngineEvent(event: EngineEvent): void {
    this.engine.onEvent(event);
  }

  /** Nobody publishes any more. */
  onRoomLost(): void {
    this.background(() => this.run(() => this.correct()));
  }

  /** Retries what an outage of the database or the media server prevented; called when the engine answers again, and every second. */
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
    const isCorrect = this.members().every((member) => this.actual(member) === null);
    if (!isCorrect) await this.run(() => this.correct());
  }

  /** Writes what arrives of members where the rows differ, because a change has failed; call it within {@link run}. */
  private async correct(): Promise<void> {
    for (const { id } of this.members()) {
      const member = this.member(id);
      const actual = member && this.actual(member);
      if (actual) await this.changeMedia(actual);
    }
  }

  /** Call it within {@link run}. @throws NotHostedError */
  private async raiseGeneration(): Promise<void> {
    const next = await nextGeneration(this.deps.store, this.ref());
    if (next === null) throw new NotHostedError();
    this.generation = next;
  }

  /** Tells the members to publish and to watch again; call it within {@link run}. */
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
   * Changes rows under the lock of the conference, and then appends the event; call it within {@link run}. If the outcome
   * of the commit is unknown, the conference is over here.
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

  /** Changes the row of a member, and tells the others; call it within {@link run}. */
  private async changeMember(
    member: Member,
    write: (transaction: Transaction) => Promise<void>,
  ): Promise<Member> {
    await this.change(write, () => {
      this.note(member);
      return { type: "member-updated", member: memberState(member), rejoined: false };
    });
    return member;
  }

  /** Appends an event for one member, which changes no rows. */
  send(event: ConferenceEvent): void {
    this.log.append(event);
  }

  private snapshot() {
    const members = this.members().map(memberState);
    return { type: "snapshot" as const, conference: { ...this.settings }, members };
  }

  private numbered(event: NewEvent): ConferenceEvent {
    return { ...event, sequence: this.sequence } as ConferenceEvent;
  }

  private logFailure(error: unknown): void {
    if (error instanceof NotHostedError) return;
    this.deps.log.warn({ err: error }, "a change of a conference failed");
  }
}

/** NOT_FOUND for a member. */
export function notAMember(): Fault {
  return new Fault("NOT_FOUND", "There is no such member in the conference");
}
