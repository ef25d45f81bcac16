import { Fault } from "../../../core/errors";
import type { Transaction } from "../../../platform/store/store";
import type { MemberRef, MemberState, Participant } from "../model/conference";
import type { ConferenceState, NewEvent } from "../model/conference-event";
import { noteEmpty } from "../rows/host-queries";
import {
  insertMember,
  type Member,
  memberState,
  type NewMember,
  takeOverSeat,
} from "../rows/member-queries";
import { lockSeats } from "../rows/user-limit-queries";

/**
 * Maximum number of seats of a user in all conferences. Each conference with a member may take a room of the media
 * server.
 */
const USER_SEATS_MAX = 8;

/** The result of a join on the hosting node; JSON. */
export interface JoinResult {
  ref: MemberRef;
  member: MemberState;
}

/** The result of a join for its member. */
export function joinResult(member: Member): JoinResult {
  const { id: memberId, conferenceId, number, generation } = member;
  return { ref: { conferenceId, memberId, number, generation }, member: memberState(member) };
}

/** The member that a participant becomes. @param legacy whether its client cannot tell what it has muted */
export function newMemberOf(
  conferenceId: number,
  { number, kind, name, device, sessionId }: Participant,
  moderator: boolean,
  legacy: boolean,
): NewMember {
  const muted = legacy ? null : false;
  return {
    conferenceId,
    number,
    userId: kind === "user" ? number : null,
    name,
    device,
    sessionId,
    moderator,
    audioMuted: muted,
    videoMuted: muted,
  };
}

/** Tells the others of a member that has taken its seat, or that of its other device. */
export function seatEvent(taken: Member): NewEvent {
  const member = memberState(taken);
  return taken.generation > 1
    ? { type: "member-updated", member, rejoined: true }
    : { type: "member-joined", member };
}

/**
 * Gives a member a seat, under the lock of the conference: its own one if it has one, on another device.
 * @returns the member; its generation is greater than 1 if it had a seat
 * @throws Fault FULL, FORBIDDEN while the conference is locked, LIMITED beyond {@link USER_SEATS_MAX}
 */
export async function seatMember(
  transaction: Pick<Transaction, "query">,
  newMember: NewMember,
  { id, seats, locked }: Pick<ConferenceState, "id" | "seats" | "locked">,
): Promise<Member> {
  const taken = await takeOverSeat(transaction, newMember);
  if (taken) return taken;
  if (locked && !newMember.moderator) throw new Fault("FORBIDDEN", "The conference is locked");
  const { userId } = newMember;
  if (userId !== null && (await lockSeats(transaction, userId)) >= USER_SEATS_MAX) {
    throw new Fault("LIMITED", `A user may be in at most ${USER_SEATS_MAX} conferences at a time`);
  }
  const inserted = await insertMember(transaction, newMember, seats);
  if (!inserted) throw new Fault("FULL", `All ${seats} seats of the conference are taken`);
  await noteEmpty(transaction, id);
  return inserted;
}
