import type { MediaSource } from "../engine/engine";
import type { MemberState } from "../model/conference";
import type { MuteChange, PeerOwner } from "../peers/peer";
import { type Member, memberState, writeMedia } from "../rows/member-queries";
import type { ConferenceChanges } from "./conference-changes";
import type { HostedEngine } from "./hosted-engine";
import { type HostedMembers, notAMember } from "./hosted-members";

/** What members send, as the others are told: whether media arrives, and what is muted. */
export class MemberMedia {
  constructor(
    private readonly changes: ConferenceChanges,
    private readonly members: HostedMembers,
    private readonly engine: HostedEngine,
  ) {}

  /** Changes what a member has muted itself. Unmuting ends a moderator's mute. @throws Fault NOT_FOUND */
  setMuted(memberId: number, { audio, video }: MuteChange): Promise<MemberState> {
    const unmuted = { ...(audio === false && { audio }), ...(video === false && { video }) };
    return this.change(memberId, unmuted, (member) => ({
      audioMuted: audio ?? member.audioMuted,
      videoMuted: video ?? member.videoMuted,
      audioBlocked: member.audioBlocked && audio !== false,
      videoBlocked: member.videoBlocked && video !== false,
    }));
  }

  /** Changes what a moderator has muted. What the member has muted itself stays muted. @throws Fault NOT_FOUND */
  setBlocked(memberId: number, change: MuteChange): Promise<MemberState> {
    const { audio, video } = change;
    return this.change(memberId, change, (member) => ({
      audioBlocked: audio ?? member.audioBlocked,
      videoBlocked: video ?? member.videoBlocked,
    }));
  }

  /** A feed of a membership begins or ends. */
  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void {
    this.changes.background(async () => {
      const member = this.members.get(owner.memberId);
      // What the engine says now: a replaced peer may have come up by now.
      if (member?.generation !== owner.generation || this.engine.isUp(owner, source) !== up) return;
      await this.write({ ...member, ...(source === "main" ? { publishing: up } : { screen: up }) });
    });
  }

  /** The members whose media has ended with the former host, as they are now. */
  stopped(): Member[] {
    return this.members
      .list()
      .filter(
        ({ id, generation, publishing, screen }) =>
          (publishing || screen) && !this.engine.isUp({ memberId: id, generation }),
      )
      .map((member) => ({ ...member, publishing: false, screen: false }));
  }

  /** Whether all members are shown as sending what arrives. */
  isCorrect(): boolean {
    return this.members.list().every((member) => this.actual(member) === null);
  }

  /** Writes what arrives where the rows differ, because a change has failed; call it within the changes. */
  async correct(): Promise<void> {
    for (const { id } of this.members.list()) {
      const member = this.members.get(id);
      const actual = member && this.actual(member);
      if (actual) await this.write(actual);
    }
  }

  /** A member with what arrives of it; null if that is what its row says. */
  private actual(member: Member): Member | null {
    const owner = { memberId: member.id, generation: member.generation };
    const publishing = this.engine.isUp(owner, "main");
    const screen = this.engine.isUp(owner, "screen");
    if (publishing === member.publishing && screen === member.screen) return null;
    return { ...member, publishing, screen };
  }

  /** @param blocked of which kinds the engine learns what is blocked */
  private async change(
    memberId: number,
    blocked: MuteChange,
    changes: (member: Member) => Partial<Member>,
  ): Promise<MemberState> {
    const changed = await this.changes.run(async () => {
      const member = this.members.get(memberId);
      if (!member) throw notAMember();
      return this.write({ ...member, ...changes(member) });
    });
    await this.engine.block(memberId, blocked);
    return memberState(changed);
  }

  private async write(member: Member): Promise<Member> {
    await this.changes.change(
      (transaction) => writeMedia(transaction, member),
      () => {
        this.members.update(member);
        return { type: "member-updated", member: memberState(member), rejoined: false };
      },
    );
    return member;
  }
}
