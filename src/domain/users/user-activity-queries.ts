import type { Statement, Store } from "../../platform/store/store";

const WRITE: Statement = {
  name: "touch_users",
  text: `UPDATE users u SET last_request_at = greatest(u.last_request_at, t.at)
    FROM (SELECT id, to_timestamp(ms / 1000.0) AS at
          FROM unnest($1::bigint[], $2::float8[]) AS v(id, ms) ORDER BY id) t
    WHERE u.id = t.id`,
};
const FINGERPRINTS: Statement = {
  name: "live_users",
  // The same value as passwordFingerprint computes.
  text: `SELECT id, encode(sha256(convert_to(password_hash, 'UTF8')), 'hex') AS password
    FROM users WHERE id = ANY($1::bigint[]) AND blocked_at IS NULL`,
};

const CALLS_SEEN: Statement = {
  name: "calls_seen",
  text: "UPDATE users SET calls_seen_at = greatest(calls_seen_at, $2::timestamptz) WHERE id = $1",
};
const FIND_CALLS_SEEN: Statement = {
  name: "find_calls_seen",
  text: "SELECT id, calls_seen_at AS at FROM users WHERE id = ANY($1::bigint[]) AND calls_seen_at IS NOT NULL",
};

/** Sets when a user has seen the list of calls. */
export async function writeCallsSeen(
  { query }: Pick<Store, "query">,
  userId: number,
  at: Date,
): Promise<void> {
  await query(CALLS_SEEN, [userId, at]);
}

/** When users have last seen their lists of calls, by user id; those who never have are absent. */
export async function findCallsSeen(
  { query }: Pick<Store, "query">,
  userIds: readonly number[],
): Promise<Map<number, Date>> {
  const rows = await query<{ id: number; at: Date }>(FIND_CALLS_SEEN, [userIds]);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Sets when users were last active. @param columns ids, and times in milliseconds since the Unix epoch */
export async function writeLastRequests(
  store: Pick<Store, "query">,
  columns: [ids: number[], times: number[]],
): Promise<void> {
  await store.query(WRITE, columns);
}

/** Password fingerprints by user id; users that are blocked or no longer exist are absent. */
export async function passwordFingerprints(
  store: Pick<Store, "query">,
  users: number[],
): Promise<Map<number, string | null>> {
  type Row = { id: number; password: string | null };
  const rows = await store.query<Row>(FINGERPRINTS, [users]);
  return new Map(rows.map(({ id, password }) => [id, password]));
}
