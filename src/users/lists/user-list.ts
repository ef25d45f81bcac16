import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import type { UserDeps } from "../user-deps";
import {
  compileUserFilter,
  START_WITH_LIMIT,
  USER_LIST_FIELDS,
  type UserFilter,
  type UserListField,
} from "./user-filter";
import { readUserList, type UserList } from "./user-list-queries";

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

function order(sort: UserListRequest["sort"]): string {
  if (sort?.asc && sort.desc) throw Fault.field("sort", "takes one of asc and desc");
  const field = sort?.asc ?? sort?.desc;
  if (!field) return "u.id";
  const direction = sort?.asc ? "ASC NULLS FIRST" : "DESC NULLS LAST";
  return `${USER_LIST_FIELDS[field].sql} ${direction}, u.id`;
}
