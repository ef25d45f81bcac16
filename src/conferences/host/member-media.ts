import type { MediaSource } from "../engine/engine";
import type { MemberState } from "../model/conference";
import { type Member, memberState, writeMedia } from "../rows/member-queries";
import type { ConferenceChanges } from "./conference-changes";
import type { HostedEngine } from "./hosted-engine";
import { type HostedMembers, notAMember } from "./hosted-members";
import type { PeerOwner } from "./peer";

/** What a member mutes (true) or unmutes (false); absent for unchanged. */
export interface MuteChange {
  audio?: boolean;
  video?: boolean;
}

/** What members send, as the others are told: whether media arrives, and what is muted. */
export class MemberMedia {
  constructor(
    private readonly changes: ConferenceChanges,
    private readonly members: HostedMembers,
    private readonly engine: HostedEngine,
  ) {}

  /**
   * Changes what a member has muted.
   * @param blocked what the engine drops (true) or admits again (false)
   * @throws Fault NOT_FOUND
   */
  async mute(memberId: number, change: MuteChange, blocked: MuteChange): Promise<MemberState> {
    const changed = await this.changes.run(async () => {
      const member = this.members.get(memberId);
      if (!member) throw notAMember();
      const { audio = member.audioMuted, video = member.videoMuted } = change;
      return this.write({ ...member, audioMuted: audio, videoMuted: video });
    });
    await this.engine.block(memberId, blocked);
    return memberState(changed);
  }

  /** A feed of a membership begins or ends. */
  onFeed(owner: PeerOwner, source: MediaSource, up: boolean): void {
    this.changes.background(async () => {
      const member = this.members.get(owner.memberId);
      // What the engine says now: a replaced peer may have come up meanwhile.
      if (member?.generation !== owner.generation || this.engine.isUp(owner, source) !== up) return;
      await this.write({ ...member, ...(source === "main" ? { publishing: up } : { screen: up }) });
    });
  }

  /** No media arrives any more, because the engine was lost; call it within the changes. */
  async stopPublishing(): Promise<void> {
    for (const member of this.members.list()) {
      if (!member.publishing && !member.screen) continue;
      await this.write({ ...member, publishing: false, screen: false });
    }
  }

  private async write(member: Member): Promise<Member> {
    await this.changes.change(
      (transaction) => writeMedia(transaction, member),
      () => ({ type: "member-updated", member: memberState(member), rejoined: false }),
    );
    this.members.update(member);
    return member;
  }
}
