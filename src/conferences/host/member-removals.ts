import type { LeaveReason } from "../model/conference-event";
import { noteEmpty } from "../rows/host-queries";
import { writeLeave } from "../rows/member-queries";
import type { ConferenceChanges } from "./conference-changes";
import type { HostedEngine } from "./hosted-engine";
import type { HostedMembers } from "./hosted-members";

/** Removes members, whatever waits: whoever fills the queue of changes must not delay it. */
export class MemberRemovals {
  /** One for each member at a time, so that removals have a bound of their own. */
  private readonly running = new Map<number, Promise<void>>();

  constructor(
    private readonly conferenceId: number,
    private readonly changes: ConferenceChanges,
    private readonly members: HostedMembers,
    private readonly engine: HostedEngine,
  ) {}

  /** Removes a member; no error if it is gone. */
  remove(memberId: number, reason: LeaveReason): Promise<void> {
    const running = this.running.get(memberId);
    if (running) return running;
    const removing = this.removeNow(memberId, reason).finally(() => {
      this.running.delete(memberId);
    });
    this.running.set(memberId, removing);
    return removing;
  }

  private removeNow(memberId: number, reason: LeaveReason): Promise<void> {
    return this.changes.runAlways(async () => {
      const member = this.members.get(memberId);
      if (!member) return;
      await this.changes.change(
        async (transaction) => {
          // The row is gone when the user was deleted.
          await writeLeave(transaction, memberId, reason);
          await noteEmpty(transaction, this.conferenceId);
        },
        () => {
          this.members.remove(memberId);
          return { type: "member-left", memberId, number: member.number, reason };
        },
      );
      await this.engine.closeMember(member);
    });
  }
}
