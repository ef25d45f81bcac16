import type { Statement, Store } from "../../platform/store/store";
import { SESSION_TTL_MS } from "./session";

/**
 * Statements on sessions that write their activity and find live ones. A function throws Fault UNAVAILABLE if the
 * database cannot be reached.
 */

/** Sorted ids make deadlocks between two nodes rare; a failed write is retried with the next flush. */
const TOUCH: Statement = {
  name: "touch_sessions",
  text: `UPDATE sessions s SET last_activity_at = greatest(s.last_activity_at, t.at),
      expires_at = CASE WHEN s.sliding THEN greatest(s.expires_at, t.at + $3 * interval '1 millisecond')
                        ELSE s.expires_at END
    FROM (SELECT id, to_timestamp(ms / 1000.0) AS at
          FROM unnest($1::bigint[], $2::float8[]) AS v(id, ms) ORDER BY id) t
    WHERE s.id = t.id`,
};

const LIVE: Statement = {
  name: "live_sessions",
  text: `SELECT id FROM sessions WHERE id = ANY($1::bigint[])
    AND expires_at > to_timestamp($2::float8 / 1000.0)`,
};

const BELONGS: Statement = {
  name: "session_belongs_to_user",
  text: `SELECT 1 AS one FROM sessions WHERE id = $1 AND user_id = $2
    AND expires_at > to_timestamp($3::float8 / 1000.0)`,
};

/** Whether a session is a user's and has not expired at a time in milliseconds since the Unix epoch. */
export async function isSessionOfUser(
  { query }: Pick<Store, "query">,
  sessionId: number,
  userId: number,
  now: number,
): Promise<boolean> {
  return (await query(BELONGS, [sessionId, userId, now])).length > 0;
}

/**
 * Sets when sessions were last active, and extends the expiry of sliding ones.
 * @param columns ids, and times in milliseconds since the Unix epoch
 */
export async function writeSessionActivity(
  { query }: Pick<Store, "query">,
  columns: [ids: number[], times: number[]],
): Promise<void> {
  await query(TOUCH, [...columns, SESSION_TTL_MS]);
}

/** Finds which sessions have not expired at a time in milliseconds since the Unix epoch. */
export async function findLiveSessions(
  { query }: Pick<Store, "query">,
  ids: number[],
  now: number,
): Promise<Set<number>> {
  return new Set((await query<{ id: number }>(LIVE, [ids, now])).map(({ id }) => id));
}
