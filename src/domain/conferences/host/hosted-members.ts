import { Fault } from "../../../core/errors";
import { EMPTY_MS, type MemberRef } from "../model/conference";
import type { PeerOwner } from "../peers/peer";
import type { Member } from "../rows/member-queries";
import type { HostDeps } from "./host-deps";

/** The members of a conference on its host. A member whose session changes or ends on any node is reported. */
export class HostedMembers {
  /** Since when there are none, in milliseconds of the clock; null while there are any. */
  private emptySince: number | null;
  private readonly byId = new Map<number, Member>();
  private readonly untrack = new Map<number, () => void>();

  /** @param onSessionEvent called when what authorizes a member may have ended */
  constructor(
    private readonly deps: Pick<HostDeps, "clock" | "sessionEvents">,
    members: Member[],
    private readonly onSessionEvent: (member: Member) => void,
  ) {
    this.emptySince = deps.clock.now();
    for (const member of members) this.add(member);
  }

  get size(): number {
    return this.byId.size;
  }

  /** The members by the time they joined. */
  list(): Member[] {
    return [...this.byId.values()];
  }

  get(memberId: number): Member | undefined {
    return this.byId.get(memberId);
  }

  byNumber(number: number): Member | undefined {
    return this.list().find((member) => member.number === number);
  }

  /** The member with a number. @throws Fault NOT_FOUND */
  numbered(number: number): Member {
    const member = this.byNumber(number);
    if (!member) throw notAMember();
    return member;
  }

  /** What a moderator has muted of a member. */
  blocked(memberId: number): { audio: boolean; video: boolean } {
    const member = this.byId.get(memberId);
    return { audio: member?.audioBlocked ?? false, video: member?.videoBlocked ?? false };
  }

  /** Whether a membership is the current one of a member. */
  has({ memberId, generation }: Pick<MemberRef, "memberId" | "generation">): boolean {
    return this.byId.get(memberId)?.generation === generation;
  }

  /** The member of a membership. @throws Fault NOT_FOUND, CONFLICT if another device has taken the seat */
  owned(ref: MemberRef): Member {
    const member = this.byId.get(ref.memberId);
    if (member?.number !== ref.number) throw notAMember();
    if (member.generation !== ref.generation) {
      throw new Fault("CONFLICT", "Another device has taken this seat");
    }
    return member;
  }

  /** Adds a member, or replaces what is known of it. */
  add(member: Member): void {
    this.remove(member.id);
    this.byId.set(member.id, member);
    this.emptySince = null;
    const { sessionEvents } = this.deps;
    const { userId, sessionId } = member;
    const notify = () => this.onSessionEvent(member);
    const stops = [sessionEvents.track({ userId, sessionId, close: notify })];
    if (sessionId !== null) stops.push(sessionEvents.onSessionEvent(sessionId, notify));
    this.untrack.set(member.id, () => {
      for (const stop of stops) stop();
    });
  }

  /** Notes what a member sends. */
  update(member: Member): void {
    if (this.byId.has(member.id)) this.byId.set(member.id, member);
  }

  remove(memberId: number): void {
    if (!this.byId.delete(memberId)) return;
    this.untrack.get(memberId)?.();
    this.untrack.delete(memberId);
    if (this.byId.size === 0) this.emptySince = this.deps.clock.now();
  }

  /** Whether there has been no member for so long that the conference ends or is released. */
  isIdle(): boolean {
    return this.emptySince !== null && this.deps.clock.now() - this.emptySince >= EMPTY_MS;
  }

  clear(): void {
    for (const id of [...this.byId.keys()]) this.remove(id);
  }
}

/** NOT_FOUND for a member. */
export function notAMember(): Fault {
  return new Fault("NOT_FOUND", "There is no such member in the conference");
}

/** Whose peers those of a member are. */
export function ownerOf({ id: memberId, number, generation }: Member): PeerOwner {
  return { memberId, number, generation };
}
