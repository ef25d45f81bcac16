import { Fault } from "../../core/errors";
import type { Statement, Store } from "../../store/store";
import type { Identity } from "../identity";
import { parseId } from "../user/find-user";
import { toUser, USER_COLUMNS, type User, type UserRow } from "../user/user";

/** Entries of a page at most, and unless fewer are asked for. */
const PAGE_MAX = 100;

/** Entries of a whole list that are counted at most: to count more would read as many rows. */
export const COUNT_MAX = 10_000;

/** Where a page begins, and how much it holds. */
export interface PageRequest {
  /** Id of the last entry seen: the list goes on after it, whatever came or went before it. */
  after?: string | null;
  offset?: number | null;
  limit?: number | null;
}

/** How many entries a list has. */
export interface Total {
  /** {@link COUNT_MAX} at most. */
  count: number;
  /** Whether these are all. */
  exact: boolean;
}

/** A page of a list; the whole is counted when it is asked for, once. */
export interface Page<T> {
  nodes: T[];
  offset: number;
  limit: number;
  total(): Promise<Total>;
}

/** A session as the owner of its application sees it: never its token. */
export interface OwnedSession {
  id: number;
  userId: number | null;
  ip: string | null;
  userAgent: string | null;
  lastActivityAt: Date;
  expiresAt: Date;
}

// Greater than every text that begins with the prefix; the index is in the order of bytes.
const AFTER = "($2::text || U&'\\+10FFFF')";
const prefix = (column: string) => `(${column} ~>=~ $2::text AND ${column} ~<~ ${AFTER})`;
const SEARCHED = `(${prefix("u.login_key")} OR ${prefix("u.email_key")})`;
const users = (what: string, more = "") =>
  `SELECT ${what} FROM users u WHERE u.application_id = $1${more}`;
// In the order of an index, so that counting stops where it is to, and reads no table from its start.
const counted = (name: string, list: string) => ({
  name,
  text: `SELECT count(*) AS total FROM (${list} LIMIT ${COUNT_MAX + 1}) AS counted`,
});
const ALL = {
  name: "owner_users",
  text: `${users(USER_COLUMNS)} AND u.id > $2 ORDER BY u.id LIMIT $3 OFFSET $4`,
};
const COUNT = counted("owner_users_count", `${users("1")} ORDER BY u.id`);
const SEARCH = {
  name: "owner_users_search",
  text: `${users(USER_COLUMNS, ` AND ${SEARCHED}`)} AND u.id > $3 ORDER BY u.id LIMIT $4 OFFSET $5`,
};
const SEARCH_COUNT = counted(
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
const SESSIONS_COUNT = counted("owner_sessions_count", `SELECT 1 ${LIVE} ORDER BY id DESC`);

/**
 * Users of an application in the order of their ids, all or those whose login or e-mail begins with a
 * text, without regard to case.
 * @throws Fault INVALID on after, offset, limit or search
 */
export async function pageOfUsers(
  { store }: Identity,
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

/** Sessions of an application that have not ended, newest first. @throws Fault INVALID */
export async function pageOfSessions(
  { store, clock }: Identity,
  applicationId: number,
  request: PageRequest,
): Promise<Page<OwnedSession>> {
  const { after = Number.MAX_SAFE_INTEGER, offset, limit } = bounds(request);
  const values = [applicationId, new Date(clock.now())];
  const nodes = await store.query<OwnedSession>(SESSIONS, [...values, after, limit, offset]);
  return { nodes, offset, limit, total: totalOf(store, SESSIONS_COUNT, values) };
}

/** Counts when it is first asked to. */
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
  const { after: seen } = request;
  const after = seen === undefined || seen === null ? undefined : parseId(seen);
  if (after === null) throw Fault.field("after", "is no id");
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  const limit = request.limit ?? PAGE_MAX;
  if (limit < 1) throw Fault.field("limit", "must be at least 1");
  return { after, offset, limit: Math.min(limit, PAGE_MAX) };
}
