import type { Statement, Store } from "../../../platform/store/store";
import type { User } from "../user";
import { toUser, USER_COLUMNS, type UserRow } from "../user-queries";
import { type CompiledUserFilter, prefix } from "./user-filter";

/**
 * Statements that find users of an application by the start of a login or an e-mail. A function throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** What a search looks at, in the order of its list. */
export const SEARCH_KEYS = ["login", "email"] as const;

/** A key of {@link SEARCH_KEYS}. */
export type SearchKey = (typeof SEARCH_KEYS)[number];

/** The users of an application that a search finds. */
export interface UserSearch {
  applicationId: number;
  /** The start of the login or the e-mail, in lower case. */
  text: string;
  /** What else they match. */
  condition: CompiledUserFilter;
  /** Whether a filter is a part of it: the best plan then depends on its values, which match few users or many. */
  filtered: boolean;
}

/** Values of a key, both exclusive, between which users are read, from one end. */
export interface SearchRange {
  above?: string;
  below?: string;
  descending: boolean;
  limit: number;
}

/** A found user with the value of the key. */
export interface FoundUser {
  user: User;
  value: string;
}

const COLUMNS: Record<SearchKey, string> = { login: "u.login_key", email: "u.email_key" };

/** The FROM of the users whose key matches; by e-mail, those whose login does not match. */
function matches(key: SearchKey, { applicationId, text, condition }: UserSearch) {
  const values = [applicationId, ...condition.values];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const conditions = [condition.sql, prefix(COLUMNS[key], text, bind)];
  if (key === "email") conditions.push(`(${prefix(COLUMNS.login, text, bind)}) IS NOT TRUE`);
  return { values, bind, conditions };
}

/** The indexes with text_pattern_ops have the keys in the order of these operators. */
const statementOf = (
  columns: string,
  key: SearchKey,
  conditions: readonly string[],
  descending: boolean,
  limit: string,
) => `SELECT ${columns} FROM users u WHERE u.application_id = $1 AND ${conditions.join(" AND ")}
    ORDER BY ${COLUMNS[key]} USING ${descending ? "~>~" : "~<~"} LIMIT ${limit}`;

/** Reads users whose key matches, in the order of the key; by e-mail, those whose login does not match. */
export async function readMatches(
  { query }: Pick<Store, "query">,
  search: UserSearch,
  key: SearchKey,
  { above, below, descending, limit }: SearchRange,
): Promise<FoundUser[]> {
  const { values, bind, conditions } = matches(key, search);
  if (above !== undefined) conditions.push(`${COLUMNS[key]} ~>~ ${bind(above, "text")}`);
  if (below !== undefined) conditions.push(`${COLUMNS[key]} ~<~ ${bind(below, "text")}`);
  const columns = `${USER_COLUMNS}, ${COLUMNS[key]} AS value`;
  const statement: Statement = {
    name: "search_users",
    text: statementOf(columns, key, conditions, descending, bind(limit, "int")),
    unprepared: search.filtered,
  };
  const rows = await query<UserRow & { value: string }>(statement, values);
  return rows.map((row) => ({ user: toUser(row), value: row.value }));
}

/** Counts the users that {@link readMatches} reads, up to a maximum. */
export async function countMatches(
  { query }: Pick<Store, "query">,
  search: UserSearch,
  key: SearchKey,
  max: number,
): Promise<number> {
  const { values, bind, conditions } = matches(key, search);
  const found = statementOf("1", key, conditions, false, bind(max, "int"));
  const statement: Statement = {
    name: "count_searched_users",
    text: `SELECT count(*) AS total FROM (${found}) AS counted`,
    unprepared: search.filtered,
  };
  const [row] = await query<{ total: number }>(statement, values);
  return row?.total ?? 0;
}
