import type { IdRange } from "../paging/page";
import type { Statement, Store } from "../store/store";

/** A session as the owner of its application sees it, without its token. */
export interface OwnedSession {
  id: number;
  userId: number | null;
  ip: string | null;
  userAgent: string | null;
  lastActivityAt: Date;
  expiresAt: Date;
}

const LIVE = "FROM sessions WHERE application_id = $1 AND expires_at > $2";
const inDirection = (suffix: string, direction: "ASC" | "DESC"): Statement => ({
  name: `owner_sessions${suffix}`,
  reason: "keyset",
  text: `SELECT id, user_id AS "userId", ip, user_agent AS "userAgent",
      last_activity_at AS "lastActivityAt", expires_at AS "expiresAt"
    ${LIVE} AND id > $3 AND id < $4 ORDER BY id ${direction} LIMIT $5`,
});
const DESCENDING = inDirection("", "DESC");
const ASCENDING = inDirection("_ascending", "ASC");
// Ordered by an index, so that the count stops at the limit and does not scan the table.
const COUNT: Statement = {
  name: "owner_sessions_count",
  reason: "set",
  text: `SELECT count(*) AS total FROM (SELECT 1 ${LIVE} ORDER BY id DESC LIMIT $3) AS counted`,
};

/** The sessions of an application that have not expired at a time. */
export interface LiveSessions {
  applicationId: number;
  at: Date;
}

/** Reads an application's live sessions in a range of ids, in its direction. */
export function readLiveSessions(
  { query }: Pick<Store, "query">,
  { applicationId, at }: LiveSessions,
  { above, below, descending, limit }: IdRange,
): Promise<OwnedSession[]> {
  const statement = descending ? DESCENDING : ASCENDING;
  return query<OwnedSession>(statement, [applicationId, at, above, below, limit]);
}

/** Counts an application's live sessions up to a limit. */
export async function countLiveSessions(
  { query }: Pick<Store, "query">,
  { applicationId, at }: LiveSessions,
  max: number,
): Promise<number> {
  const [row] = await query<{ total: number }>(COUNT, [applicationId, at, max]);
  return row?.total ?? 0;
}
