import type { LeaveReason } from "../model/conference-event";
import { noteEmpty } from "../rows/host-queries";
import { deleteGuests } from "../rows/link-rights-queries";
import { writeLeave } from "../rows/member-queries";
import type { ConferenceChanges } from "./conference-changes";
import type { HostDeps } from "./host-deps";
import type { HostedEngine } from "./hosted-engine";
import type { HostedMembers } from "./hosted-members";

/** Removes members ahead of everything that waits: a member that fills the queue of changes must not delay it. */
export class MemberRemovals {
  /** One for each member at a time, so that removals have a bound of their own. */
  private readonly running = new Map<number, Promise<void>>();

  constructor(
    private readonly deps: Pick<HostDeps, "store" | "sessionEvents">,
    private readonly conferenceId: number,
    private readonly changes: ConferenceChanges,
    private readonly members: HostedMembers,
    private readonly engine: HostedEngine,
  ) {}

  /** Removes a member; no error if it is gone. The token of a guest ends with `removed`, in the same transaction. */
  remove(memberId: number, reason: LeaveReason): Promise<void> {
    const running = this.running.get(memberId);
    if (running) return running;
    const removing = this.removeNow(memberId, reason).finally(() => {
      this.running.delete(memberId);
    });
    this.running.set(memberId, removing);
    return removing;
  }

  /** Removes the members with these numbers. With `removed`, tokens of guests without a seat end as well. */
  async removeNumbers(numbers: number[], reason: LeaveReason): Promise<void> {
    const { conferenceId } = this;
    const found = this.members.list().filter(({ number }) => numbers.includes(number));
    for (const { id } of found) await this.remove(id, reason);
    if (reason !== "removed") return;
    // A guest may be about to come back, or a removal for another reason may have come first.
    if (await deleteGuests(this.deps.store, conferenceId, numbers)) this.tellGuests();
  }

  private removeNow(memberId: number, reason: LeaveReason): Promise<void> {
    return this.changes.runAlways(async () => {
      const member = this.members.get(memberId);
      if (!member) return;
      const { number } = member;
      const isGuest = member.userId === null;
      await this.changes.change(
        async (transaction) => {
          // The row is gone when the user was deleted.
          await writeLeave(transaction, memberId, reason);
          await noteEmpty(transaction, this.conferenceId);
          if (isGuest && reason === "removed") {
            await deleteGuests(transaction, this.conferenceId, [number]);
          }
        },
        () => {
          this.members.remove(memberId);
          return { type: "member-left", memberId, number, reason };
        },
      );
      if (isGuest && reason !== "left") this.tellGuests();
      await this.engine.closeMember(member);
    });
  }

  /** Every node closes the connections of guests whose tokens have ended. */
  private tellGuests(): void {
    const { conferenceId } = this;
    this.deps.sessionEvents.publish({ kind: "guests", conferenceId });
  }
}
