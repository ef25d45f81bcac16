import { Fault } from "../core/errors";
import { parseId } from "../core/text/ids";
import type { Statement, Store } from "../store/store";
import { toUser, USER_COLUMNS, type User, type UserRow } from "../users/user";
import type { AdminDeps } from "./admin-deps";

/** Default and maximum number of entries of a page. */
const PAGE_MAX = 100;

/** Upper bound of a total: counting more would read as many rows. */
export const COUNT_MAX = 10_000;

/** Start and size of a page. */
export interface PageRequest {
  /** Id of the last entry seen; the page starts after it (keyset pagination). */
  after?: string | null;
  offset?: number | null;
  limit?: number | null;
}

/** Number of entries of a list. */
export interface Total {
  /** At most {@link COUNT_MAX}. */
  count: number;
  /** Whether the count is not capped. */
  exact: boolean;
}

/** A page of a list. `total` counts the list lazily, and only once. */
export interface Page<T> {
  nodes: T[];
  offset: number;
  limit: number;
  total(): Promise<Total>;
}

/** A session as the owner of its application sees it, without its token. */
export interface OwnedSession {
  id: number;
  userId: number | null;
  ip: string | null;
  userAgent: string | null;
  lastActivityAt: Date;
  expiresAt: Date;
}

// Greater than every text that starts with the prefix; the index is in byte order.
const AFTER = "($2::text || U&'\\+10FFFF')";
const prefix = (column: string) => `(${column} ~>=~ $2::text AND ${column} ~<~ ${AFTER})`;
const SEARCHED = `(${prefix("u.login_key")} OR ${prefix("u.email_key")})`;
const users = (what: string, more = "") =>
  `SELECT ${what} FROM users u WHERE u.application_id = $1${more}`;
// Ordered by an index, so that the count stops at the limit and does not scan the table.
const cappedCount = (name: string, list: string) => ({
  name,
  text: `SELECT count(*) AS total FROM (${list} LIMIT ${COUNT_MAX + 1}) AS counted`,
});
const ALL = {
  name: "owner_users",
  text: `${users(USER_COLUMNS)} AND u.id > $2 ORDER BY u.id LIMIT $3 OFFSET $4`,
};
const COUNT = cappedCount("owner_users_count", `${users("1")} ORDER BY u.id`);
const SEARCH = {
  name: "owner_users_search",
  text: `${users(USER_COLUMNS, ` AND ${SEARCHED}`)} AND u.id > $3 ORDER BY u.id LIMIT $4 OFFSET $5`,
};
const SEARCH_COUNT = cappedCount(
  "owner_users_search_count",
  `${users("1", ` AND ${SEARCHED}`)} ORDER BY u.id`,
);
const LIVE = "FROM sessions WHERE application_id = $1 AND expires_at > $2";
const SESSIONS = {
  name: "owner_sessions",
  text: `SELECT id, user_id AS "userId", ip, user_agent AS "userAgent",
      last_activity_at AS "lastActivityAt", expires_at AS "expiresAt"
    ${LIVE} AND id < $3 ORDER BY id DESC LIMIT $4 OFFSET $5`,
};
const SESSIONS_COUNT = cappedCount("owner_sessions_count", `SELECT 1 ${LIVE} ORDER BY id DESC`);

/**
 * Lists the users of an application by id: all, or those whose login or e-mail starts with a text
 * (case-insensitive).
 * @throws Fault INVALID on after, offset, limit or search
 */
export async function listApplicationUsers(
  { store }: AdminDeps,
  applicationId: number,
  request: PageRequest & { search?: string | null },
): Promise<Page<User>> {
  const { after = 0, offset, limit } = bounds(request);
  const search = request.search?.toLowerCase() || null;
  const [list, count] = search === null ? [ALL, COUNT] : [SEARCH, SEARCH_COUNT];
  const values = search === null ? [applicationId] : [applicationId, search];
  const rows = await store.query<UserRow>(list, [...values, after, limit, offset]);
  return { nodes: rows.map(toUser), offset, limit, total: totalOf(store, count, values) };
}

/** Lists the live sessions of an application, newest first. @throws Fault INVALID */
export async function listApplicationSessions(
  { store, clock }: AdminDeps,
  applicationId: number,
  request: PageRequest,
): Promise<Page<OwnedSession>> {
  const { after = Number.MAX_SAFE_INTEGER, offset, limit } = bounds(request);
  const values = [applicationId, new Date(clock.now())];
  const nodes = await store.query<OwnedSession>(SESSIONS, [...values, after, limit, offset]);
  return { nodes, offset, limit, total: totalOf(store, SESSIONS_COUNT, values) };
}

/** Counts on the first call. */
function totalOf(store: Store, statement: Statement, values: unknown[]): () => Promise<Total> {
  let counting: Promise<Total> | undefined;
  const count = async () => {
    const [row] = await store.query<{ total: number }>(statement, values);
    const total = row?.total ?? 0;
    return { count: Math.min(total, COUNT_MAX), exact: total <= COUNT_MAX };
  };
  return () => {
    counting ??= count();
    return counting;
  };
}

function bounds(request: PageRequest): { after?: number; offset: number; limit: number } {
  const { after: lastId } = request;
  const after = lastId === undefined || lastId === null ? undefined : parseId(lastId);
  if (after === null) throw Fault.field("after", "is not an id");
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  const limit = request.limit ?? PAGE_MAX;
  if (limit < 1) throw Fault.field("limit", "must be at least 1");
  return { after, offset, limit: Math.min(limit, PAGE_MAX) };
}
