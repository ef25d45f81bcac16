import { cappedCount, countUpTo } from "../../platform/store/rows/capped-counts";
import { type IdRange, keyset, readRange } from "../../platform/store/rows/keyset";
import type { Statement, Store } from "../../platform/store/store";
import type { SessionApiKey, SessionEntry } from "./session";

/** Statements on the sessions of an application or of a user. A function throws Fault UNAVAILABLE. */

/** The application and the user of a session. */
export interface SessionOwner {
  applicationId: number;
  /** Null for a session without a user. */
  userId: number | null;
}

/**
 * The statements of a list of live sessions, and the count up to a limit. The indexes (application_id, id) and
 * (user_id, id) serve the equality and the order.
 */
function liveSessions(name: string, condition: string) {
  const live = `FROM sessions WHERE application_id = $1 AND expires_at > $2 AND ${condition}`;
  const list = keyset(
    { name, values: 3, columns: { id: "?::bigint" } },
    ({
      within,
      order,
      limit,
    }) => `SELECT id, application_id AS "applicationId", user_id AS "userId",
        coalesce(ip, '') AS ip, coalesce(user_agent, '') AS "userAgent", last_activity_at AS "lastActivityAt",
        expires_at AS "expiresAt", origin, api_key_id AS "apiKeyId",
        (SELECT k.name FROM api_keys k WHERE k.id = sessions.api_key_id) AS "apiKeyName"
      ${live} AND ${within} ORDER BY ${order} LIMIT ${limit}`,
  );
  // Ordered by an index, so that the count stops at the limit and does not scan the table.
  const count: Statement = {
    name: `${name}_count`,
    text: `SELECT count(*) AS total FROM (SELECT 1 ${live} ORDER BY id DESC LIMIT $4) AS counted`,
  };
  return { list, count };
}
const OF_APPLICATION = liveSessions("application_sessions", "$3::bigint IS NULL");
const OF_USER = liveSessions("application_sessions_of_user", "user_id = $3");

const OWNER: Statement = {
  name: "owner_of_session",
  text: `SELECT application_id AS "applicationId", user_id AS "userId" FROM sessions WHERE id = $1`,
};

/** Ends in batches, since a backend may have signed in everybody. */
export const END_BATCH = 1_000;

const END_OF_KEY: Statement = {
  name: "end_sessions_of_api_key",
  text: `DELETE FROM sessions WHERE id = ANY(ARRAY(
      SELECT id FROM sessions WHERE api_key_id = $1 ORDER BY id LIMIT ${END_BATCH})) RETURNING id`,
};

const APPLICATION_OF_KEY: Statement = {
  name: "application_of_sessions_of_api_key",
  text: `SELECT application_id AS "applicationId" FROM sessions WHERE api_key_id = $1 ORDER BY id LIMIT 1`,
};

const DELETE_OWNED: Statement = {
  name: "delete_owned_session",
  text: `DELETE FROM sessions WHERE id = $1 AND application_id = $2 AND user_id IS NOT DISTINCT FROM $3
    RETURNING id`,
};

const END_ALL: Statement = {
  name: "end_sessions_of_user",
  text: "DELETE FROM sessions WHERE user_id = $1 RETURNING id",
};

/** The sessions of an application that have not expired at a time. */
export interface LiveSessions {
  applicationId: number;
  /** Only those of this user; null for all. */
  userId: number | null;
  at: Date;
}

/** Reads live sessions in a range of ids, in its direction. */
export async function readLiveSessions(
  { query }: Pick<Store, "query">,
  { applicationId, userId, at }: LiveSessions,
  range: IdRange,
): Promise<SessionEntry[]> {
  interface Row extends Omit<SessionEntry, "apiKey"> {
    apiKeyId: SessionApiKey["id"] | null;
    apiKeyName: SessionApiKey["name"];
  }
  const { list } = userId === null ? OF_APPLICATION : OF_USER;
  const rows = await readRange<Row>(query, list, [applicationId, at, userId], range);
  return rows.map(({ apiKeyId, apiKeyName, ...row }) => ({
    ...row,
    apiKey: apiKeyId === null ? null : { id: apiKeyId, name: apiKeyName },
  }));
}

/** Counts live sessions up to a limit. */
export async function countLiveSessions(
  { query }: Pick<Store, "query">,
  { applicationId, userId, at }: LiveSessions,
  max: number,
): Promise<number> {
  const { count } = userId === null ? OF_APPLICATION : OF_USER;
  const [row] = await query<{ total: number }>(count, [applicationId, at, userId, max]);
  return row?.total ?? 0;
}

const LIVE_OF_APPLICATION =
  "FROM sessions WHERE application_id = g.id AND expires_at > $3 ORDER BY id DESC";
const COUNT_ALL = cappedCount("live_sessions_count", LIVE_OF_APPLICATION);
const COUNT_EACH: Statement = {
  name: "live_sessions_of_each",
  text: `SELECT g.id, (SELECT count(*) FROM (SELECT 1 ${LIVE_OF_APPLICATION} LIMIT $2) AS found) AS total
    FROM unnest($1::bigint[]) AS g(id)`,
};

/** Counts the live sessions of applications together, up to a limit. */
export function countLiveSessionsOfAll(
  store: Pick<Store, "query">,
  applicationIds: readonly number[],
  at: Date,
  max: number,
): Promise<number> {
  return countUpTo(store, COUNT_ALL, applicationIds, max, at);
}

/** Counts the live sessions of each application, up to a limit. */
export async function countLiveSessionsOfEach(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
  at: Date,
  max: number,
): Promise<Map<number, number>> {
  const values = [applicationIds, max, at];
  const rows = await query<{ id: number; total: number }>(COUNT_EACH, values);
  return new Map(rows.map(({ id, total }) => [id, total]));
}

/** Finds whose a session is; null if there is none. */
export async function findSessionOwner(
  { query }: Pick<Store, "query">,
  id: number,
): Promise<SessionOwner | null> {
  const [row] = await query<SessionOwner>(OWNER, [id]);
  return row ?? null;
}

/**
 * Deletes a session unless it has been deleted, or belongs to another user by now.
 * @returns whether it was deleted
 */
export async function deleteOwnedSession(
  { query }: Pick<Store, "query">,
  id: number,
  { applicationId, userId }: SessionOwner,
): Promise<boolean> {
  return (await query(DELETE_OWNED, [id, applicationId, userId])).length > 0;
}

/** Deletes up to {@link END_BATCH} sessions that an API key created. @returns their ids */
export async function deleteSessionsOfApiKey(
  { query }: Pick<Store, "query">,
  apiKeyId: number,
): Promise<number[]> {
  return (await query<{ id: number }>(END_OF_KEY, [apiKeyId])).map(({ id }) => id);
}

/** Finds the application of the sessions that an API key created, also of a revoked one; null if there are none. */
export async function findApplicationOfKeySessions(
  { query }: Pick<Store, "query">,
  apiKeyId: number,
): Promise<number | null> {
  const [row] = await query<{ applicationId: number }>(APPLICATION_OF_KEY, [apiKeyId]);
  return row?.applicationId ?? null;
}

/** Deletes all sessions of a user. @returns their number */
export async function deleteSessionsOfUser(
  { query }: Pick<Store, "query">,
  userId: number,
): Promise<number> {
  return (await query(END_ALL, [userId])).length;
}
