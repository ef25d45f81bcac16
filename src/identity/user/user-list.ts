import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import type { Identity } from "../identity";
import { toUser, USER_COLUMNS, type User, type UserRow } from "./user";
import {
  START_WITH_LIMIT,
  USER_LIST_FIELDS,
  type UserFilter,
  type UserListField,
  userCondition,
} from "./user-filter";

/** Users of a page at most, and by default (interface.md "Limits"). */
export const LIST_MAX = 100;

/** Which users, in which order, and which part of them. */
export interface UserListRequest {
  filter: UserFilter;
  sort?: { asc?: UserListField | null; desc?: UserListField | null } | null;
  /** How many to skip. */
  offset?: number | null;
  /** How many at most; above 100 counts as 100. */
  limit?: number | null;
  /** Whether the total will be asked for: then one statement reads the page and counts. */
  counted?: boolean;
}

/** A page of users. */
export interface UserList {
  users: User[];
  offset: number;
  /** The limit as applied. */
  limit: number;
  /** Users that the filter matches in all; counted only when asked for. */
  total(): Promise<number>;
}

/**
 * Lists users of the viewer's application by the rules of the V2 list.
 * @throws Fault INVALID that names the broken rule, or the paging parameter
 */
export async function listUsers(
  identity: Identity,
  viewer: UserViewer,
  request: UserListRequest,
): Promise<UserList> {
  const condition = userCondition(request.filter);
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  const asked = request.limit ?? LIST_MAX;
  if (asked < 1) throw Fault.field("limit", "must be at least 1");
  const limit = condition.startWith ? START_WITH_LIMIT : Math.min(asked, LIST_MAX);
  const sql = { name: "user_list", where: condition.sql, order: order(request.sort) };
  const values = [viewer.applicationId, ...condition.values];
  return readList(identity, { ...sql, values }, { offset, limit, counted: request.counted });
}

/** Users of an application, in SQL. */
export interface UserSelection {
  /** Name of the statement; each shape of it is prepared once. */
  name: string;
  /** Over `u`, with `$1` for the application and its values from `$2` on. */
  where: string;
  /** Of ORDER BY, down to a column that no two users share. */
  order: string;
  values: unknown[];
}

/** Reads one page of a selection, and counts it in the same statement where that will be asked for. */
export async function readList(
  { store }: Pick<Identity, "store">,
  { name, where, order, values }: UserSelection,
  { offset, limit, counted }: { offset: number; limit: number; counted?: boolean },
): Promise<UserList> {
  const from = `FROM users u WHERE u.application_id = $1 AND ${where}`;
  const last = values.length;
  const total = counted ? `, (SELECT count(*) ${from}) AS total` : "";
  const rows = await store.query<UserRow & { total?: number }>(
    {
      name,
      text: `SELECT ${USER_COLUMNS}${total} ${from} ORDER BY ${order}
        LIMIT $${last + 1}::int OFFSET $${last + 2}::bigint`,
    },
    [...values, limit, offset],
  );
  const users = rows.map(toUser);
  const found = rows[0]?.total;
  return {
    users,
    offset,
    limit,
    async total() {
      if (found !== undefined) return found;
      // A page that is not full is the last one, and says how many there are.
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
