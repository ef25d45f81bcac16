import type { Owner } from "./phone";

/**
 * Adds users with a session each, whose token follows from the user's id.
 * @param sql runs a statement on the database
 * @param prefix of their logins
 */
export async function addOwners(
  sql: <Row>(text: string, values: unknown[]) => Promise<Row[]>,
  applicationId: number,
  prefix: string,
  count: number,
): Promise<Owner[]> {
  const rows = await sql<{ id: number; token: string }>(
    `WITH made AS (INSERT INTO users (application_id, login, login_key, updated_at)
        SELECT $1, $3 || n, $3 || n, now() FROM generate_series(1, $2::int) n RETURNING id),
      signed AS (INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, sliding,
          expires_at, last_activity_at, updated_at)
        SELECT $1, id, sha256(rpad('phone' || id, 43, '-')::bytea), id, 0, true, now() + interval '1 hour',
          now(), now() FROM made)
      SELECT id::int, rpad('phone' || id, 43, '-') AS token FROM made`,
    [applicationId, count, prefix],
  );
  return rows.map((row) => ({ ...row, applicationId }));
}
