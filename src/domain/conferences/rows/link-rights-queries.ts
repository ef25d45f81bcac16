import { expiredRows } from "../../../platform/store/rows/expired-rows";
import type { Statement, Store, Transaction } from "../../../platform/store/store";

/**
 * Statements that end links with the right of their creators, and the tokens of guests: conference_links and
 * conference_guests. Deleting a link deletes its guests by cascade. A function throws Fault UNAVAILABLE if the database
 * cannot be reached.
 */

const DELETE_OF_USERS: Statement = {
  name: "delete_links_of_users",
  text: "DELETE FROM conference_links WHERE created_by = ANY($1::bigint[]) RETURNING conference_id",
};

const DELETE_OF_MEMBER: Statement = {
  name: "delete_links_of_member",
  text: "DELETE FROM conference_links WHERE created_by_member = $1 RETURNING conference_id",
};

/** Who moderates is as in rooms/access.ts. */
const DELETE_UNMODERATED: Statement = {
  name: "delete_unmoderated_links",
  text: `DELETE FROM conference_links l WHERE l.conference_id = $1 AND l.created_by IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM conferences c WHERE c.id = l.conference_id AND c.created_by = l.created_by
        AND c.origin = 'graphql')
      AND NOT EXISTS (SELECT 1 FROM conference_users u
        WHERE u.conference_id = l.conference_id AND u.user_id = l.created_by AND u.moderator)
    RETURNING l.conference_id`,
};

const DELETE_GUESTS: Statement = {
  name: "delete_conference_guests",
  text: "DELETE FROM conference_guests WHERE conference_id = $1 AND id = ANY($2::bigint[]) RETURNING id",
};

const LIVE_GUESTS: Statement = {
  name: "live_conference_guests",
  text: `SELECT g.id FROM conference_guests g JOIN conferences c ON c.id = g.conference_id
    WHERE g.id = ANY($1::bigint[]) AND g.expires_at > $2 AND c.closed_at IS NULL`,
};

/** Deletes a batch of guests whose tokens expired. */
export const EXPIRED_GUESTS = expiredRows("conference_guests");

/** Deletes the links that users have made. @returns the conferences of these links */
export async function deleteLinksOfUsers(
  query: Store["query"],
  userIds: number[],
): Promise<number[]> {
  return conferencesOf(await query<LinkOfConference>(DELETE_OF_USERS, [userIds]));
}

/** Deletes the links that a member of an account has made. @returns the conferences of these links */
export async function deleteLinksOfMember(
  query: Store["query"],
  memberId: number,
): Promise<number[]> {
  return conferencesOf(await query<LinkOfConference>(DELETE_OF_MEMBER, [memberId]));
}

/**
 * Deletes the links of a conference whose creators, users, do not moderate it. Call it after a change of the lists, in
 * its transaction: a link that is made at the same time waits for the change, or the change for it.
 * @returns whether there were any
 */
export async function deleteUnmoderatedLinks(
  { query }: Pick<Transaction, "query">,
  conferenceId: number,
): Promise<boolean> {
  return (await query(DELETE_UNMODERATED, [conferenceId])).length > 0;
}

/** Ends the tokens of guests of a conference. @returns whether there were any */
export async function deleteGuests(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  numbers: number[],
): Promise<boolean> {
  return (await query(DELETE_GUESTS, [conferenceId, numbers])).length > 0;
}

/** Finds which guests still have a valid token. */
export async function findLiveGuests(
  { query }: Pick<Store, "query">,
  numbers: number[],
  now: Date,
): Promise<Set<number>> {
  return new Set((await query<{ id: number }>(LIVE_GUESTS, [numbers, now])).map(({ id }) => id));
}

interface LinkOfConference {
  conference_id: number;
}

function conferencesOf(links: LinkOfConference[]): number[] {
  return [...new Set(links.map((link) => link.conference_id))];
}
