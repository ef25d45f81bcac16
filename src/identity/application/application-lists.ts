import { Fault } from "../../core/errors";
import type { Identity } from "../identity";
import { toUser, USER_COLUMNS, type User, type UserRow } from "../user/user";

/** Entries of a page at most, and unless fewer are asked for. */
const PAGE_MAX = 100;

/** Where a page begins, and how much it holds. */
export interface PageRequest {
  offset?: number | null;
  limit?: number | null;
}

/** A page of a list; the whole is counted when it is asked for. */
export interface Page<T> {
  nodes: T[];
  offset: number;
  limit: number;
  total(): Promise<number>;
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
const ALL = {
  name: "owner_users",
  text: `${users(USER_COLUMNS)} ORDER BY u.id LIMIT $2 OFFSET $3`,
};
const COUNT = { name: "owner_users_count", text: users("count(*) AS total") };
const SEARCH = {
  name: "owner_users_search",
  text: `${users(USER_COLUMNS, ` AND ${SEARCHED}`)} ORDER BY u.id LIMIT $3 OFFSET $4`,
};
const SEARCH_COUNT = {
  name: "owner_users_search_count",
  text: users("count(*) AS total", ` AND ${SEARCHED}`),
};
const SESSIONS = {
  name: "owner_sessions",
  text: `SELECT id, user_id AS "userId", ip, user_agent AS "userAgent",
      last_activity_at AS "lastActivityAt", expires_at AS "expiresAt"
    FROM sessions WHERE application_id = $1 AND expires_at > $2
    ORDER BY id DESC LIMIT $3 OFFSET $4`,
};
const SESSIONS_COUNT = {
  name: "owner_sessions_count",
  text: "SELECT count(*) AS total FROM sessions WHERE application_id = $1 AND expires_at > $2",
};

/**
 * Users of an application in the order of their ids, all or those whose login or e-mail begins with a
 * text, without regard to case.
 * @throws Fault INVALID on offset, limit or search
 */
export async function pageOfUsers(
  { store }: Identity,
  applicationId: number,
  request: PageRequest & { search?: string | null },
): Promise<Page<User>> {
  const { offset, limit } = bounds(request);
  const search = request.search?.toLowerCase() || null;
  if (search?.includes("\0")) throw Fault.field("search", "holds a character that no field has");
  const [list, count] = search === null ? [ALL, COUNT] : [SEARCH, SEARCH_COUNT];
  const values = search === null ? [applicationId] : [applicationId, search];
  const rows = await store.query<UserRow>(list, [...values, limit, offset]);
  return {
    ...{ nodes: rows.map(toUser), offset, limit },
    total: async () => (await store.query<{ total: number }>(count, values))[0]?.total ?? 0,
  };
}

/** Sessions of an application that have not ended, newest first. @throws Fault INVALID */
export async function pageOfSessions(
  { store, clock }: Identity,
  applicationId: number,
  request: PageRequest,
): Promise<Page<OwnedSession>> {
  const { offset, limit } = bounds(request);
  const values = [applicationId, new Date(clock.now())];
  const nodes = await store.query<OwnedSession>(SESSIONS, [...values, limit, offset]);
  return {
    ...{ nodes, offset, limit },
    total: async () =>
      (await store.query<{ total: number }>(SESSIONS_COUNT, values))[0]?.total ?? 0,
  };
}

function bounds(request: PageRequest): { offset: number; limit: number } {
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  const limit = request.limit ?? PAGE_MAX;
  if (limit < 1) throw Fault.field("limit", "must be at least 1");
  return { offset, limit: Math.min(limit, PAGE_MAX) };
}
