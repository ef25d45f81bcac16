import { Fault } from "../../../core/errors";
import type {
  ConnectedPeer,
  EngineEvent,
  Feed,
  MediaSource,
  PeerMessage,
  PeerResponse,
} from "../engine/engine";
import type { MemberRef, MemberState, Participant } from "../model/conference";
import type { ConferenceState, EndReason, LeaveReason } from "../model/conference-event";
import type { MemberStats, MuteChange } from "../peers/peer";
import {
  type AcquiredConference,
  closeConferenceRow,
  type HostRef,
  nextGeneration,
  releaseConference,
  writeConference,
} from "../rows/host-queries";
import {
  type Member,
  memberState,
  type NewMember,
  writeLeaveAll,
  writeMedia,
} from "../rows/member-queries";
import { ConferenceChanges } from "./conference-changes";
import { ConferenceRecovery } from "./conference-recovery";
import { type HostDeps, NotHostedError } from "./host-deps";
import { HostedEngine } from "./hosted-engine";
import { HostedMembers, notAMember, ownerOf } from "./hosted-members";
import { MemberChecks } from "./member-checks";
import { MemberMedia } from "./member-media";
import { MemberRemovals } from "./member-removals";
import { type JoinResult, joinResult, newMemberOf, seatEvent, seatMember } from "./seats";

/** A conference on the node that hosts it: its commands, one after the other where they change rows. */
export class HostedConference {
  readonly members: HostedMembers;
  readonly checks: MemberChecks;
  /** Whether it ends, instead of being released, when it is idle. */
  readonly closesWhenIdle: boolean;
  private generation: number;
  private readonly state: ConferenceState;
  private readonly changes: ConferenceChanges;
  private readonly engine: HostedEngine;
  private readonly media: MemberMedia;
  private readonly recovery: ConferenceRecovery;
  private readonly removals: MemberRemovals;

  /** @param onOver called when the conference must be dropped, and its rows read again by its next host */
  constructor(
    private readonly deps: HostDeps,
    readonly id: number,
    row: AcquiredConference,
    members: Member[],
    onOver: () => void,
  ) {
    const { name, seats, video, access, locked, bitrate } = row;
    this.state = { id, name, seats, video, access, locked, bitrate };
    this.closesWhenIdle = row.origin === "legacy";
    this.generation = row.generation;
    const ref = () => this.ref();
    this.changes = new ConferenceChanges(deps, ref, row, () => this.snapshot(), onOver);
    this.members = new HostedMembers(deps, members, (member) => {
      this.checks.checkSession(member).catch((error) => this.changes.logFailure(error));
    });
    this.checks = new MemberChecks(deps, {
      id,
      changes: this.changes,
      members: this.members,
      remove: (memberId, reason) => this.remove(memberId, reason),
    });
    this.engine = new HostedEngine(deps, {
      id,
      application: row.application_id,
      state: () => this.state,
      ref,
      blocked: (memberId) => this.members.blocked(memberId),
      onFeed: (owner, source, up) => this.media.onFeed(owner, source, up),
      send: (event) => this.changes.send(event),
      onLost: () => this.recovery.onLost(),
      onRenewable: () => this.recovery.check(),
    });
    const { changes, engine } = this;
    this.media = new MemberMedia(changes, this.members, engine);
    this.removals = new MemberRemovals(deps, id, changes, this.members, engine);
    const parts = { changes, engine, members: this.members, media: this.media };
    this.recovery = new ConferenceRecovery({
      ...parts,
      raiseGeneration: () => this.raiseGeneration(),
      end: () => this.close("media-failure"),
    });
  }

  /** Resumes what the engine still has after another process hosted the conference, and announces the state. */
  async takeOver(row: AcquiredConference): Promise<void> {
    if (this.members.size === 0) return;
    const isLost = await this.engine.resume(row, this.members);
    await this.changes.run(async () => {
      const stopped = this.media.stopped();
      for (const member of stopped) this.members.update(member);
      await this.changes.change(
        async (transaction) => {
          for (const member of stopped) await writeMedia(transaction, member);
        },
        () => this.snapshot(),
      );
      if (isLost) await this.recovery.announceReconnect();
    });
    // While no host lived, nobody has noticed what ended.
    await this.checks.checkSessions();
    await this.checks.checkRights();
  }

  /** Takes a seat, or the seat of the participant's other device. @throws Fault FULL, FORBIDDEN, LIMITED, UNAUTHENTICATED */
  async join(participant: Participant, moderator: boolean, legacy: boolean): Promise<JoinResult> {
    const newMember = newMemberOf(this.id, participant, moderator, legacy);
    const member = await this.changes.run(() => this.takeSeat(newMember));
    await this.checks.admit(member);
    return joinResult(member);
  }

  private async takeSeat(newMember: NewMember): Promise<Member> {
    const earlier = this.members.byNumber(newMember.number);
    const member = await this.changes.change(
      (transaction) => seatMember(transaction, newMember, this.state),
      (taken) => {
        this.members.add(taken);
        return seatEvent(taken);
      },
    );
    if (earlier?.id === member.id) {
      const { id: memberId, generation } = earlier;
      this.changes.send({ type: "replaced", to: { memberId, generation } });
      await this.engine.closeMember(earlier);
    }
    return member;
  }

  /** Leaves, if the membership still is the current one. */
  async leave(ref: MemberRef): Promise<void> {
    const member = this.members.get(ref.memberId);
    if (member && member.number !== ref.number) throw notAMember();
    if (member?.generation === ref.generation) await this.remove(member.id, "left");
  }

  /** Removes at once who may not be in the conference any more, after its lists or links have changed. */
  async checkRights(): Promise<void> {
    await this.checks.checkRights();
  }

  /** Removes the members with these numbers. Guests by link who were removed by a moderator need a link to come back. */
  removeNumbers(numbers: number[], reason: LeaveReason): Promise<void> {
    return this.removals.removeNumbers(numbers, reason);
  }

  /** Removes a member, whatever waits; no error if it is gone. */
  remove(memberId: number, reason: LeaveReason): Promise<void> {
    return this.removals.remove(memberId, reason);
  }

  async publish(ref: MemberRef, source: MediaSource, offer: string): Promise<ConnectedPeer> {
    const owner = ownerOf(this.members.owned(ref));
    if (source === "screen" && !this.state.video) {
      throw new Fault("FORBIDDEN", "The conference is for audio only");
    }
    return this.requireCurrent(ref, await this.engine.publish(owner, source, offer));
  }

  async watch(ref: MemberRef, feed?: Feed | null): Promise<ConnectedPeer> {
    const owner = ownerOf(this.members.owned(ref));
    return this.requireCurrent(ref, await this.engine.watch(owner, feed ?? undefined));
  }

  async signal(ref: MemberRef, peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.engine.signal(ownerOf(this.members.owned(ref)), peer, message);
  }

  async closePeer(ref: MemberRef, peer: string): Promise<void> {
    await this.engine.closePeer(ownerOf(this.members.owned(ref)), peer);
  }

  /** What the media server has last reported of the peers. The name is that of the command, which older nodes know. */
  async figures(): Promise<MemberStats[]> {
    return this.engine.stats();
  }

  /** Sends the member what only it can have missed: the streams of its watching peers. */
  async repeatStreams(ref: MemberRef): Promise<void> {
    this.engine.repeatStreams(ownerOf(this.members.owned(ref)));
  }

  /** Tells the others what a member has muted itself. Unmuting ends a moderator's mute. */
  async setMuted(ref: MemberRef, change: MuteChange): Promise<MemberState> {
    return this.media.setMuted(this.members.owned(ref).id, change);
  }

  /**
   * Mutes a member by number: its media is dropped, also after a rejoin, until a moderator or the member itself
   * unmutes it. @throws Fault NOT_FOUND
   */
  async muteMember(number: number, change: MuteChange): Promise<MemberState> {
    return this.media.setBlocked(this.members.numbered(number).id, change);
  }

  /** Changes the settings. */
  async update(changes: Partial<Omit<ConferenceState, "id">>): Promise<ConferenceState> {
    const updated = await this.changes.run(async () => {
      const conference = { ...this.state, ...changes };
      await this.changes.change(
        (transaction) => writeConference(transaction, conference),
        () => {
          Object.assign(this.state, conference);
          return { type: "conference-updated", conference };
        },
      );
      return conference;
    });
    if (changes.bitrate !== undefined) await this.engine.update();
    return updated;
  }

  /** Closes the conference; its members are out. */
  async close(reason: EndReason = "conference-closed"): Promise<void> {
    await this.changes.run(async () => {
      await this.changes.change(
        async (transaction) => {
          await writeLeaveAll(transaction, this.id, reason);
          await closeConferenceRow(transaction, this.id);
        },
        () => ({ type: "ended", reason }),
      );
      this.deps.sessionEvents.publish({ kind: "guests", conferenceId: this.id });
      await this.abandon();
    });
  }

  /** Gives up the hosting of an empty conference, or of all at shutdown. */
  async release(): Promise<void> {
    await this.changes.run(async () => {
      if (this.members.size > 0) await this.engine.leaveRoom();
      await releaseConference(this.deps.store, this.ref());
      await this.abandon();
    });
  }

  /** Ends without a change of rows: this node does not know them any more. */
  async abandon(): Promise<void> {
    this.members.clear();
    await this.changes.end();
    await this.engine.closeRoom();
  }

  /** Ends only here; the engine keeps what the next take-over resumes. */
  async forget(): Promise<void> {
    await this.engine.leaveRoom();
    await this.abandon();
  }

  /** Does what the database or the engine has prevented; called every second. */
  check(): void {
    this.recovery.check();
  }

  onEngineEvent(event: EngineEvent): void {
    this.engine.onEvent(event);
  }

  private ref(): HostRef {
    return { conferenceId: this.id, node: this.deps.node, generation: this.generation };
  }

  private async raiseGeneration(): Promise<void> {
    const next = await nextGeneration(this.deps.store, this.ref());
    if (next === null) throw new NotHostedError();
    this.generation = next;
  }

  /** Closes a peer whose member has left or rejoined while it was opened. */
  private async requireCurrent(ref: MemberRef, connected: ConnectedPeer): Promise<ConnectedPeer> {
    try {
      this.members.owned(ref);
    } catch (error) {
      await this.engine.closePeer(ref, connected.peer);
      throw error;
    }
    return connected;
  }

  private snapshot() {
    const members = this.members.list().map(memberState);
    return { type: "snapshot" as const, conference: { ...this.state }, members };
  }
}
