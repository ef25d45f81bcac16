import { hashToken, newToken } from "../../../src/core/random";
import type { TestNode } from "../node";
import type { TestUser } from "../rest-client";

/** A conference that lists nobody, its creator's membership and a link for guests. */
export interface StoredConference {
  id: string;
  membershipId: string;
  linkId: string;
  /** Secret of the link. */
  secret: string;
}

/** Inserts a conference of a user who is its only participant. */
export async function addConference(
  { sql, application }: TestNode,
  user: Pick<TestUser, "id">,
): Promise<StoredConference> {
  const [conference] = await sql<{ id: number }>(
    `INSERT INTO conferences (application_id, name, seats, video, access, origin, bitrate, created_by)
      VALUES ($1, $2, 12, true, 'listed', 'graphql', 600000, $3) RETURNING id`,
    [application.id, `stored ${newToken()}`, user.id],
  );
  const id = conference?.id ?? 0;
  const [participant] = await sql<{ id: number }>(
    `INSERT INTO conference_members (conference_id, number, user_id, name, device, moderator, lease_until)
      VALUES ($1, $2, $2, 'A', 'device', true, now() + interval '1 day') RETURNING id`,
    [id, user.id],
  );
  const secret = newToken();
  const [link] = await sql<{ id: number }>(
    `INSERT INTO conference_links (conference_id, secret_hash, expires_at, max_uses, created_by)
      VALUES ($1, $2, now() + interval '1 day', 1000, $3) RETURNING id`,
    [id, hashToken(secret), user.id],
  );
  return {
    id: String(id),
    membershipId: `${id}.${participant?.id}.1`,
    linkId: String(link?.id),
    secret,
  };
}

/** The token of a new guest by link. */
export async function guestToken(
  { sql }: TestNode,
  { id, linkId }: Pick<StoredConference, "id" | "linkId">,
): Promise<string> {
  const token = `conf_${newToken()}`;
  // The link may have been withdrawn, and the guest with it: then the token is of nobody.
  await sql(
    `INSERT INTO conference_guests (id, conference_id, link_id, name, token_hash)
      SELECT nextval(pg_get_serial_sequence('users', 'id')), $1, id, 'Guest', $3 FROM conference_links WHERE id = $2`,
    [Number(id), Number(linkId), hashToken(token)],
  );
  return token;
}
