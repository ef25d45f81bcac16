import { Fault } from "../../../core/errors";
import type { LeaveReason } from "../model/conference-event";
import { type Member, memberState } from "../rows/member-queries";
import {
  type ChangedRights,
  findChangedRights,
  writeModerator,
} from "../rows/member-rights-queries";
import type { ConferenceChanges } from "./conference-changes";
import type { HostDeps } from "./host-deps";
import type { HostedMembers } from "./hosted-members";

/** What {@link MemberChecks} needs of its conference. */
export interface MemberChecksOptions {
  id: number;
  changes: ConferenceChanges;
  members: HostedMembers;
  remove(memberId: number, reason: LeaveReason): Promise<void>;
}

/** Removes members who may not be in the conference any more: their session, link or listing has ended. */
export class MemberChecks {
  constructor(
    private readonly deps: Pick<HostDeps, "store" | "clock" | "isAuthorized">,
    private readonly options: MemberChecksOptions,
  ) {}

  /**
   * Checks a member that has just taken its seat: what it was allowed to do may have ended by now.
   * @throws Fault UNAUTHENTICATED, NOT_FOUND for a user who may not join any more
   */
  async admit(member: Member): Promise<void> {
    const { id, remove } = this.options;
    const [isAuthorized, changed] = await Promise.all([
      this.deps.isAuthorized(member),
      this.findChanged(id),
    ]);
    const reason = changed.find(({ memberId }) => memberId === member.id)?.leaveReason;
    if (reason) await remove(member.id, reason);
    else if (!isAuthorized) await remove(member.id, "session-ended");
    else return;
    if (reason === "removed") throw new Fault("NOT_FOUND", "There is no such conference");
    throw Fault.noSession();
  }

  /** Checks a member whose session or user may have ended. */
  async checkSession(member: Member): Promise<void> {
    const current = this.options.members.get(member.id);
    if (current?.generation !== member.generation || (await this.deps.isAuthorized(member))) return;
    await this.options.remove(member.id, "session-ended");
  }

  /** Checks what authorizes each member, after time without a host. */
  async checkSessions(): Promise<void> {
    await Promise.all(this.options.members.list().map((member) => this.checkSession(member)));
  }

  /** Checks the rights of all members, after lists or links have changed. */
  async checkRights(): Promise<void> {
    const changed = await this.findChanged(this.options.id);
    for (const rights of changed) await this.apply(rights);
  }

  private findChanged(conferenceId: number): Promise<ChangedRights[]> {
    const { store, clock } = this.deps;
    return findChangedRights(store, [conferenceId], new Date(clock.now()));
  }

  /** Applies the changed rights of a member. */
  async apply({ memberId, leaveReason, moderator }: ChangedRights): Promise<void> {
    const { changes, members, remove } = this.options;
    if (leaveReason) return remove(memberId, leaveReason);
    await changes.run(async () => {
      const member = members.get(memberId);
      if (!member || member.moderator === moderator) return;
      const changed = { ...member, moderator };
      await changes.change(
        (transaction) => writeModerator(transaction, memberId, moderator),
        () => {
          members.update(changed);
          return { type: "member-updated", member: memberState(changed), rejoined: false };
        },
      );
    });
  }
}
