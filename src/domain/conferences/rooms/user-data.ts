import type { SessionEvent } from "../../session-events/session-events";
import type { Query, UserData } from "../../users/user-deps";
import {
  EXPORTED_CONFERENCES,
  EXPORTED_LINKS,
  EXPORTED_LISTINGS,
  EXPORTED_PARTICIPATIONS,
} from "../rows/export-queries";
import { deleteLinksOfMember, deleteLinksOfUsers } from "../rows/link-rights-queries";

/**
 * The conferences of users: what they created, where they are listed, their times as participants, and the links that
 * they made. Deleting a user deletes the last three by cascade; a conference stays for the others, without its creator.
 * A block deletes the links, and both end their guests.
 */
export const conferenceUserData: UserData = {
  exports: [EXPORTED_CONFERENCES, EXPORTED_PARTICIPATIONS, EXPORTED_LISTINGS, EXPORTED_LINKS],
  eraseUsers: async (query, userIds) => guestsEnded(await deleteLinksOfUsers(query, userIds)),
  stopUser: async (query, userId) => guestsEnded(await deleteLinksOfUsers(query, [userId])),
};

/**
 * Deletes the links that a member of an account has made, when it is removed or may not make any more; runs in the
 * transaction that does.
 * @returns what every node is told after the commit
 */
export async function endLinksOfMember(query: Query, memberId: number): Promise<SessionEvent[]> {
  return guestsEnded(await deleteLinksOfMember(query, memberId));
}

function guestsEnded(conferenceIds: number[]): SessionEvent[] {
  return conferenceIds.map((conferenceId) => ({ kind: "guests", conferenceId }));
}
