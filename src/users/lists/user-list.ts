import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import { toUser, USER_COLUMNS, type User, type UserRow } from "../user";
import type { UserDeps } from "../user-deps";
import {
  compileUserFilter,
  START_WITH_LIMIT,
  USER_LIST_FIELDS,
  type UserFilter,
  type UserListField,
} from "./user-filter";

/** Default and maximum number of users of a page. */
export const USER_LIST_MAX = 100;

/** Filter, order and page of a user list. */
export interface UserListRequest {
  filter: UserFilter;
  sort?: { asc?: UserListField | null; desc?: UserListField | null } | null;
  /** Number of users to skip. */
  offset?: number | null;
  /** Maximum number of users; capped at 100. */
  limit?: number | null;
  /** Whether the total will be needed, so that one statement reads the page and counts. */
  withTotal?: boolean;
}

/** A page of users. */
export interface UserList {
  users: User[];
  offset: number;
  /** The applied limit. */
  limit: number;
  /** Counts all users that the filter matches, lazily. */
  total(): Promise<number>;
}

/**
 * Lists users of the viewer's application, by the rules of the V2 user list.
 * @throws Fault INVALID with the violated rule, or on the paging parameter
 */
export async function listUsers(
  deps: UserDeps,
  viewer: UserViewer,
  request: UserListRequest,
): Promise<UserList> {
  const condition = compileUserFilter(request.filter);
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  const requested = request.limit ?? USER_LIST_MAX;
  if (requested < 1) throw Fault.field("limit", "must be at least 1");
  const limit = condition.startWith ? START_WITH_LIMIT : Math.min(requested, USER_LIST_MAX);
  const sql = { name: "user_list", where: condition.sql, order: order(request.sort) };
  const values = [viewer.applicationId, ...condition.values];
  return readUserList(deps, { ...sql, values }, { offset, limit, withTotal: request.withTotal });
}

/** The SQL of a user list. */
export interface UserSelection {
  /** Name of the prepared statement; each distinct text of it is prepared once. */
  name: string;
  /** Condition over `u`; `$1` is the application, and the values start at `$2`. */
  where: string;
  /** ORDER BY, ending with a unique column. */
  order: string;
  values: unknown[];
}

/** Reads a page of users; with `counted`, the same statement also counts all of them. */
export async function readUserList(
  { store }: Pick<UserDeps, "store">,
  { name, where, order, values }: UserSelection,
  { offset, limit, withTotal }: { offset: number; limit: number; withTotal?: boolean },
): Promise<UserList> {
  const from = `FROM users u WHERE u.application_id = $1 AND ${where}`;
  const last = values.length;
  const totalColumn = withTotal ? `, (SELECT count(*) ${from}) AS total` : "";
  const rows = await store.query<UserRow & { total?: number }>(
    {
      name,
      text: `SELECT ${USER_COLUMNS}${totalColumn} ${from} ORDER BY ${order}
        LIMIT $${last + 1}::int OFFSET $${last + 2}::bigint`,
    },
    [...values, limit, offset],
  );
  const users = rows.map(toUser);
  const knownTotal = rows[0]?.total;
  return {
    users,
    offset,
    limit,
    async total() {
      if (knownTotal !== undefined) return knownTotal;
      // A page that is not full is the last one, so its end is the total.
      if (users.length < limit && (users.length > 0 || offset === 0)) return offset + users.length;
      const text = `SELECT count(*) AS total ${from}`;
      const [row] = await store.query<{ total: number }>({ name, text }, values);
      return row?.total ?? 0;
    },
  };
}

function order(sort: UserListRequest["sort"]): string {
  if (sort?.asc && sort.desc) throw Fault.field("sort", "takes one of asc and desc");
  const field = sort?.asc ?? sort?.desc;
  if (!field) return "u.id";
  const direction = sort?.asc ? "ASC NULLS FIRST" : "DESC NULLS LAST";
  return `${USER_LIST_FIELDS[field].sql} ${direction}, u.id`;
}
