import type { Statement, Store, Transaction } from "../../../platform/store/store";

/**
 * Statements on conference_users, conference_links and conference_guests. A function takes the store, or what it uses
 * of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

const LIST_USERS: Statement = {
  name: "list_conference_users",
  text: `INSERT INTO conference_users (conference_id, user_id, moderator)
    SELECT $1, u.id, u.id = ANY($4::bigint[]) FROM users u WHERE u.application_id = $2 AND u.id = ANY($3::bigint[])
    ON CONFLICT (conference_id, user_id) DO UPDATE
      SET moderator = excluded.moderator OR ($5::boolean AND conference_users.moderator) RETURNING user_id`,
};

const UNLIST_USERS: Statement = {
  name: "unlist_conference_users",
  text: `DELETE FROM conference_users
    WHERE conference_id = $1 AND user_id <> ALL($2::bigint[]) AND ($3::boolean OR NOT moderator)`,
};

const UNLIST_MODERATORS: Statement = {
  name: "unlist_conference_moderators",
  text: `UPDATE conference_users SET moderator = false
    WHERE conference_id = $1 AND moderator AND user_id <> ALL($2::bigint[])`,
};

const LISTED: Statement = {
  name: "listed_conference_users",
  text: "SELECT user_id, moderator FROM conference_users WHERE conference_id = $1 ORDER BY user_id",
};

const LISTING: Statement = {
  name: "conference_listing",
  text: "SELECT user_id, moderator FROM conference_users WHERE conference_id = $1 AND user_id = $2",
};

const LISTINGS: Statement = {
  name: "conference_listings",
  text: `SELECT u.conference_id, u.user_id, u.moderator FROM unnest($1::bigint[], $2::bigint[])
    AS g(conference_id, user_id) JOIN conference_users u USING (conference_id, user_id)`,
};

const LOCK_LISTING: Statement = {
  name: "lock_conference_listing",
  text: "SELECT user_id FROM conference_users WHERE conference_id = $1 AND user_id = $2 FOR SHARE",
};

const INSERT_LINK: Statement = {
  name: "insert_conference_link",
  text: `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by)
    SELECT $1, $2, $3::timestamptz, $4::int, $6::bigint
    WHERE (SELECT count(*) FROM conference_links WHERE conference_id = $1) < $5::int
    RETURNING id, conference_id, expires_at, max_uses, uses, created_at`,
};

const LINKS: Statement = {
  name: "links_of_conference",
  text: `SELECT id, conference_id, expires_at, max_uses, uses, created_at FROM conference_links
    WHERE conference_id = $1 ORDER BY id`,
};

const LINK: Statement = {
  name: "conference_link",
  text: `SELECT id, conference_id, expires_at, max_uses, uses, created_at FROM conference_links WHERE id = $1`,
};

const DELETE_LINK: Statement = {
  name: "delete_conference_link",
  text: "DELETE FROM conference_links WHERE id = $1",
};

const LINK_APPLICATION: Statement = {
  name: "application_of_conference_link",
  text: `SELECT c.application_id FROM conference_links l JOIN conferences c ON c.id = l.conference_id
    WHERE l.secret_hash = $1`,
};

/**
 * Counts the use and inserts the guest as one statement, so that a link never admits too many. A guest's token ends with
 * the link, and at $5 at the latest.
 */
const REDEEM: Statement = {
  name: "redeem_conference_link",
  text: `WITH used AS (
      UPDATE conference_links l SET uses = uses + 1 FROM conferences c
      WHERE l.secret_hash = $1 AND l.uses < l.max_uses AND l.expires_at > $4::timestamptz
        AND num_nonnulls(l.created_by, l.created_by_member) = 1
        AND c.id = l.conference_id AND c.closed_at IS NULL
      RETURNING l.id, l.conference_id, l.expires_at)
    INSERT INTO conference_guests (id, conference_id, link_id, name, token_hash, expires_at)
    SELECT nextval(pg_get_serial_sequence('users', 'id')), u.conference_id, u.id, $2, $3,
      least(u.expires_at, $5::timestamptz) FROM used u
    RETURNING id, conference_id`,
};

const GUEST: Statement = {
  name: "conference_guest",
  text: `SELECT g.id, g.conference_id, g.name, c.application_id
    FROM conference_guests g JOIN conferences c ON c.id = g.conference_id
    WHERE g.token_hash = $1 AND g.expires_at > $2 AND c.closed_at IS NULL`,
};

/** A user who is listed for a conference. */
export interface ListedUser {
  user_id: number;
  moderator: boolean;
}

/** A link for guests. */
export interface LinkRow {
  id: number;
  conference_id: number;
  expires_at: Date;
  max_uses: number;
  uses: number;
  created_at: Date;
}

/** A guest by link, as its token finds it. */
export interface GuestRow {
  id: number;
  conference_id: number;
  name: string;
  application_id: number;
}

/**
 * Lists users of the application for a conference.
 * @param keepModerators whether those who already are listed as moderators stay moderators
 * @returns the ids of those that exist
 */
export async function addListedUsers(
  { query }: Pick<Store, "query">,
  conference: { id: number; applicationId: number },
  userIds: number[],
  moderatorIds: number[],
  keepModerators = false,
): Promise<number[]> {
  const { id, applicationId } = conference;
  const values = [id, applicationId, userIds, moderatorIds, keepModerators];
  return (await query<ListedUser>(LIST_USERS, values)).map((row) => row.user_id);
}

/** Removes all listed users but some. @param moderators whether also those who moderate */
export async function removeListedUsers(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  exceptIds: number[],
  moderators: boolean,
): Promise<void> {
  await query(UNLIST_USERS, [conferenceId, exceptIds, moderators]);
}

/** Ends the moderation of all listed users but some, who stay listed. */
export async function removeModerators(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  exceptIds: number[],
): Promise<void> {
  await query(UNLIST_MODERATORS, [conferenceId, exceptIds]);
}

/** Finds the users who are listed for a conference, by id. */
export function findListedUsers(
  { query }: Pick<Store, "query">,
  conferenceId: number,
): Promise<ListedUser[]> {
  return query<ListedUser>(LISTED, [conferenceId]);
}

/** Finds whether a user is listed; null if not. */
export async function findListing(
  { query }: Pick<Store, "query">,
  conferenceId: number,
  userId: number,
): Promise<ListedUser | null> {
  return (await query<ListedUser>(LISTING, [conferenceId, userId]))[0] ?? null;
}

/** A user's listing for a conference. */
export type Listing = ListedUser & { conference_id: number };

/** Finds the listings of users, each for one conference. */
export function findListings(
  { query }: Pick<Store, "query">,
  pairs: ReadonlyArray<{ conferenceId: number; userId: number }>,
): Promise<Listing[]> {
  return query<Listing>(LISTINGS, [
    pairs.map(({ conferenceId }) => conferenceId),
    pairs.map(({ userId }) => userId),
  ]);
}

/** Locks the listing of a user, if there is one, so that a change of the list waits for the end of the transaction. */
export async function lockListing(
  { query }: Pick<Transaction, "query">,
  conferenceId: number,
  userId: number,
): Promise<void> {
  await query(LOCK_LISTING, [conferenceId, userId]);
}

/** A link to insert. */
export interface NewLink {
  conferenceId: number;
  secretHash: Buffer;
  expiresAt: Date;
  maxUses: number;
  /** The user who makes it, and with whose right it ends. */
  createdBy: number;
}

/** Inserts a link. @param max the maximum number of links of a conference @returns null beyond it */
export async function insertLink(
  { query }: Pick<Store, "query">,
  { conferenceId, secretHash, expiresAt, maxUses, createdBy }: NewLink,
  max: number,
): Promise<LinkRow | null> {
  const values = [conferenceId, secretHash, expiresAt, maxUses, max, createdBy];
  return (await query<LinkRow>(INSERT_LINK, values))[0] ?? null;
}

/** Finds the links of a conference, oldest first. */
export function findLinks(
  { query }: Pick<Store, "query">,
  conferenceId: number,
): Promise<LinkRow[]> {
  return query<LinkRow>(LINKS, [conferenceId]);
}

/** Finds a link. */
export async function findLink(
  { query }: Pick<Store, "query">,
  id: number,
): Promise<LinkRow | null> {
  return (await query<LinkRow>(LINK, [id]))[0] ?? null;
}

/**
 * Deletes a link with its guests. A guest who is admitted at the same time is deleted as well: the use of the link
 * and its deletion lock its row.
 */
export async function deleteLink({ query }: Pick<Store, "query">, id: number): Promise<void> {
  await query(DELETE_LINK, [id]);
}

/** Finds the application of a link by its secret's hash. */
export async function findLinkApplication(
  { query }: Pick<Store, "query">,
  secretHash: Buffer,
): Promise<number | null> {
  const [row] = await query<{ application_id: number }>(LINK_APPLICATION, [secretHash]);
  return row?.application_id ?? null;
}

/**
 * Admits a guest by the secret of a link.
 * @param guest the latest end of its token as `until`; the token does not outlive the link
 * @returns null for a secret that is unknown, expired or used up, or of a link without a creator
 */
export async function redeemLink(
  { query }: Pick<Store, "query">,
  guest: { secretHash: Buffer; name: string; tokenHash: Buffer; now: Date; until: Date },
): Promise<{ id: number; conference_id: number } | null> {
  const { secretHash, name, tokenHash, now, until } = guest;
  const values = [secretHash, name, tokenHash, now, until];
  return (await query<{ id: number; conference_id: number }>(REDEEM, values))[0] ?? null;
}

/** Finds the guest of a token that has not expired, unless its conference is closed. */
export async function findGuest(
  { query }: Pick<Store, "query">,
  tokenHash: Buffer,
  now: Date,
): Promise<GuestRow | null> {
  return (await query<GuestRow>(GUEST, [tokenHash, now]))[0] ?? null;
}
