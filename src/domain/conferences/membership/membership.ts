import { Fault } from "../../../core/errors";
import type { LinkGuestViewer, UserViewer } from "../../../core/viewer";
import { findUsersById } from "../../users/user-queries";
import { displayName, type ParticipantIdentity, type ParticipantRef } from "../model/conference";
import { numberOf } from "../rooms/access";
import type { MembershipDeps } from "./membership-deps";

/** Conference, participant and generation, as {@link membershipId} writes them. */
const MEMBERSHIP = /^([1-9]\d{0,15})\.([1-9]\d{0,15})\.([1-9]\d{0,8})$/;

/** The text that names a membership to its client. It authorizes nothing. */
export function membershipId({ conferenceId, participantId, generation }: ParticipantRef): string {
  return `${conferenceId}.${participantId}.${generation}`;
}

/**
 * Reads the membership of a caller. The host compares the caller's number with the participant's.
 * @throws Fault NOT_FOUND, also for a guest's membership in another conference
 */
export function parseMembership(
  text: string,
  viewer: UserViewer | LinkGuestViewer,
): ParticipantRef {
  const [, conferenceId, participantId, generation] = MEMBERSHIP.exec(text) ?? [];
  const ref = {
    conferenceId: Number(conferenceId),
    participantId: Number(participantId),
    number: numberOf(viewer),
    generation: Number(generation),
  };
  const isForeign = viewer.kind === "link-guest" && viewer.conferenceId !== ref.conferenceId;
  if (Number.isNaN(ref.generation) || isForeign) {
    throw new Fault("NOT_FOUND", "There is no such membership");
  }
  return ref;
}

/** Makes the participant of a caller. @throws Fault UNAUTHENTICATED if the user has just been deleted */
export async function participantIdentity(
  { store }: Pick<MembershipDeps, "store">,
  viewer: UserViewer | LinkGuestViewer,
  device: string,
): Promise<ParticipantIdentity> {
  const { applicationId } = viewer;
  if (viewer.kind === "link-guest") {
    const { number, name, conferenceId } = viewer;
    const kind = "guest-link";
    return { applicationId, number, kind, conferenceId, name, sessionId: null, device };
  }
  const { userId, sessionId } = viewer;
  const user = (await findUsersById({ store }, [userId])).get(userId);
  if (!user) throw Fault.noSession();
  return {
    applicationId,
    number: userId,
    kind: "user",
    name: displayName(user),
    sessionId,
    device,
  };
}
