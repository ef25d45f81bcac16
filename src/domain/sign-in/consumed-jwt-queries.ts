import { PURGE_BATCH } from "../../platform/store/rows/expired-rows";
import type { Statement, Store } from "../../platform/store/store";

/** Statements on consumed_jwts. A function throws Fault UNAVAILABLE if the database cannot be reached. */

const CONSUME: Statement = {
  name: "consume_jwt",
  text: `INSERT INTO consumed_jwts (application_id, jti_hash, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING RETURNING 1 AS one`,
};

/** Deletes a batch of ids that no longer need to be kept at `$1`. */
export const EXPIRED_JWTS: Statement = {
  name: "purge_consumed_jwts",
  text: `DELETE FROM consumed_jwts WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM consumed_jwts WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${PURGE_BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** Stores the id of a JWT. @returns false if a JWT of the application with this id was accepted before */
export async function consumeJwt(
  { query }: Pick<Store, "query">,
  applicationId: number,
  jtiHash: Buffer,
  keepUntil: Date,
): Promise<boolean> {
  return (await query(CONSUME, [applicationId, jtiHash, keepUntil])).length > 0;
}
