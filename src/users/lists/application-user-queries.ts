import type { IdRange } from "../../paging/page";
import type { Statement, Store } from "../../store/store";
import type { User } from "../user";
import { toUser, USER_COLUMNS, type UserRow } from "../user-queries";

// Greater than every text that starts with the prefix; the index is in byte order.
const AFTER = "($2::text || U&'\\+10FFFF')";
const prefix = (column: string) => `(${column} ~>=~ $2::text AND ${column} ~<~ ${AFTER})`;
const SEARCHED = `(${prefix("u.login_key")} OR ${prefix("u.email_key")})`;
const users = (what: string, more = "") =>
  `SELECT ${what} FROM users u WHERE u.application_id = $1${more}`;
const inDirection = (suffix: string, direction: "ASC" | "DESC") => {
  const all: Statement = {
    name: `owner_users${suffix}`,
    reason: "keyset",
    text: `${users(USER_COLUMNS)} AND u.id > $2 AND u.id < $3 ORDER BY u.id ${direction} LIMIT $4`,
  };
  const search: Statement = {
    name: `owner_users_search${suffix}`,
    reason: "keyset",
    text: `${users(USER_COLUMNS, ` AND ${SEARCHED}`)} AND u.id > $3 AND u.id < $4
      ORDER BY u.id ${direction} LIMIT $5`,
  };
  return { all, search };
};
const ASCENDING = inDirection("", "ASC");
const DESCENDING = inDirection("_descending", "DESC");
// Ordered by an index, so that the count stops at the limit and does not scan the table.
const COUNT: Statement = {
  name: "owner_users_count",
  reason: "set",
  text: `SELECT count(*) AS total FROM (${users("1")} ORDER BY u.id LIMIT $2) AS counted`,
};
const SEARCH_COUNT: Statement = {
  name: "owner_users_search_count",
  reason: "set",
  text: `SELECT count(*) AS total FROM (${users("1", ` AND ${SEARCHED}`)} ORDER BY u.id LIMIT $3) AS counted`,
};

/** Users of an application: all, or those whose login or e-mail starts with a text in lower case. */
export interface ApplicationUserList {
  applicationId: number;
  search: string | null;
}

/** Reads an application's users in a range of ids, in its direction. */
export async function readApplicationUsers(
  { query }: Pick<Store, "query">,
  { applicationId, search }: ApplicationUserList,
  { above, below, descending, limit }: IdRange,
): Promise<User[]> {
  const values = search === null ? [applicationId] : [applicationId, search];
  const { all, search: searched } = descending ? DESCENDING : ASCENDING;
  const statement = search === null ? all : searched;
  return (await query<UserRow>(statement, [...values, above, below, limit])).map(toUser);
}

/** Counts an application's users up to a limit. */
export async function countApplicationUsers(
  { query }: Pick<Store, "query">,
  { applicationId, search }: ApplicationUserList,
  max: number,
): Promise<number> {
  const values = search === null ? [applicationId] : [applicationId, search];
  const statement = search === null ? COUNT : SEARCH_COUNT;
  const [row] = await query<{ total: number }>(statement, [...values, max]);
  return row?.total ?? 0;
}
