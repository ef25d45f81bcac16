import { PURGE_BATCH } from "../../platform/store/rows/expired-rows";
import type { Statement, Store } from "../../platform/store/store";

/** Statements on nonces. A function throws Fault UNAVAILABLE if the database cannot be reached. */

const CONSUME: Statement = {
  name: "consume_nonce",
  text: `INSERT INTO nonces (application_id, ts, nonce) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING RETURNING 1 AS one`,
};

/** Deletes a batch of nonces with a timestamp before `$1`. */
export const OLD_NONCES: Statement = {
  name: "purge_nonces",
  text: `DELETE FROM nonces WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM nonces WHERE ts < $1 ORDER BY ts LIMIT ${PURGE_BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/** Stores a timestamp with its nonce. @returns false if the application has used the pair before */
export async function consumeNonce(
  { query }: Pick<Store, "query">,
  applicationId: number,
  timestamp: number,
  nonce: number,
): Promise<boolean> {
  return (await query(CONSUME, [applicationId, timestamp, nonce])).length > 0;
}
