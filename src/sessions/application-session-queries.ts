import type { IdRange } from "../paging/page";
import { cappedCount, countUpTo } from "../store/rows/capped-counts";
import type { Statement, Store } from "../store/store";

/** Statements on sessions for the owner of their application. A function throws Fault UNAVAILABLE. */

/** A session as the owner of its application sees it, without its token. */
export interface OwnedSession {
  id: number;
  userId: number | null;
  ip: string | null;
  userAgent: string | null;
  lastActivityAt: Date;
  expiresAt: Date;
}

/** The statements of a list of live sessions: both directions, and the count up to a limit. */
function liveSessions(name: string, of: string) {
  const live = `FROM sessions WHERE ${of} = $1 AND expires_at > $2`;
  const inDirection = (suffix: string, direction: "ASC" | "DESC"): Statement => ({
    name: `${name}${suffix}`,
    text: `SELECT id, user_id AS "userId", ip, user_agent AS "userAgent",
        last_activity_at AS "lastActivityAt", expires_at AS "expiresAt"
      ${live} AND id > $3 AND id < $4 ORDER BY id ${direction} LIMIT $5`,
  });
  // Ordered by an index, so that the count stops at the limit and does not scan the table.
  const count: Statement = {
    name: `${name}_count`,
    text: `SELECT count(*) AS total FROM (SELECT 1 ${live} ORDER BY id DESC LIMIT $3) AS counted`,
  };
  return {
    descending: inDirection("", "DESC"),
    ascending: inDirection("_ascending", "ASC"),
    count,
  };
}
const OF_APPLICATION = liveSessions("owner_sessions", "application_id");
const OF_USER = liveSessions("owner_sessions_of_user", "user_id");

const END: Statement = {
  name: "owner_ends_session",
  text: "DELETE FROM sessions WHERE id = $1 AND application_id = $2 RETURNING id",
};

const END_ALL: Statement = {
  name: "owner_ends_sessions",
  text: "DELETE FROM sessions WHERE user_id = $1 RETURNING id",
};

/** The sessions of an application that have not expired at a time. */
export interface LiveSessions {
  applicationId: number;
  at: Date;
}

/** The sessions of a user that have not expired at a time. */
export interface LiveSessionsOfUser {
  userId: number;
  at: Date;
}

/** Reads an application's live sessions in a range of ids, in its direction. */
export function readLiveSessions(
  { query }: Pick<Store, "query">,
  { applicationId, at }: LiveSessions,
  { above, below, descending, limit }: IdRange,
): Promise<OwnedSession[]> {
  const statement = descending ? OF_APPLICATION.descending : OF_APPLICATION.ascending;
  return query<OwnedSession>(statement, [applicationId, at, above, below, limit]);
}

/** Counts an application's live sessions up to a limit. */
export async function countLiveSessions(
  { query }: Pick<Store, "query">,
  { applicationId, at }: LiveSessions,
  max: number,
): Promise<number> {
  const [row] = await query<{ total: number }>(OF_APPLICATION.count, [applicationId, at, max]);
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

/** Reads a user's live sessions in a range of ids, in its direction. */
export function readSessionsOfUser(
  { query }: Pick<Store, "query">,
  { userId, at }: LiveSessionsOfUser,
  { above, below, descending, limit }: IdRange,
): Promise<OwnedSession[]> {
  const statement = descending ? OF_USER.descending : OF_USER.ascending;
  return query<OwnedSession>(statement, [userId, at, above, below, limit]);
}

/** Counts a user's live sessions up to a limit. */
export async function countSessionsOfUser(
  { query }: Pick<Store, "query">,
  { userId, at }: LiveSessionsOfUser,
  max: number,
): Promise<number> {
  const [row] = await query<{ total: number }>(OF_USER.count, [userId, at, max]);
  return row?.total ?? 0;
}

/** Deletes a session of an application. @returns whether there was one */
export async function deleteSessionOfApplication(
  { query }: Pick<Store, "query">,
  applicationId: number,
  id: number,
): Promise<boolean> {
  return (await query(END, [id, applicationId])).length > 0;
}

/** Deletes all sessions of a user. @returns their number */
export async function deleteSessionsOfUser(
  { query }: Pick<Store, "query">,
  userId: number,
): Promise<number> {
  return (await query(END_ALL, [userId])).length;
}
