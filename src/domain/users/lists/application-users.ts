import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import { cappedTotal, TOTAL_MAX, type Total } from "../../paging/capped-total";
import { isGiven, type PageRequest } from "../../paging/page";
import type { UserDeps } from "../user-deps";
import { type CompiledUserFilter, compileUserFilter, type UserFilter } from "./user-filter";
import { encodeUserCursor, type UserListOrder } from "./user-keyset";
import { type OrderedPageRequest, orderOf, readOrderedPage, type UserListPage } from "./user-list";
import { searchUsers } from "./user-search";

/** Filter, order and page of the users of an application. All conditions must match; without one, it has all users. */
export interface ApplicationUsersRequest extends PageRequest, Pick<OrderedPageRequest, "sort"> {
  /** The start of the login or the e-mail, in any case. */
  search?: string | null;
  /** By the rules of the V2 user list. */
  filter?: UserFilter | null;
  blocked?: boolean | null;
  guest?: boolean | null;
}

/** A page of an application's users. */
export interface CountedUserPage extends UserListPage {
  /** Counts the list lazily, and only once. */
  total(): Promise<Total>;
}

/**
 * Lists users of an application for members of its account. An index has the users of each list in its order, so that a
 * page is read without the others: `search` has an order of its own, and blocked users or guests alone have the order by
 * id only. A filter selects few users by its rules, so it allows each order, also the one that no index has. Does not
 * check permissions.
 * @throws Fault INVALID with the violated rule of the filter, or on sort or the paging parameter
 */
export async function listApplicationUsers(
  deps: Pick<UserDeps, "store">,
  applicationId: number,
  request: ApplicationUsersRequest,
): Promise<CountedUserPage> {
  const page = await readPage(deps, applicationId, request);
  return { ...page, total: cappedTotal(() => page.list.total()) };
}

async function readPage(
  deps: Pick<UserDeps, "store">,
  applicationId: number,
  request: ApplicationUsersRequest,
): Promise<UserListPage> {
  const countMax = TOTAL_MAX + 1;
  const { sort, first, last } = request;
  const condition = conditionOf(request);
  const filtered = isGiven(request.filter);
  if (request.search) {
    if (isGiven(sort)) throw Fault.field("sort", "cannot be combined with search");
    const text = request.search.toLowerCase();
    return searchUsers(deps, { applicationId, text, condition, filtered }, request, countMax);
  }
  const order = orderOf(sort);
  checkOrder(order, request);
  const cursors = {
    after: cursorOf(order, request.after),
    before: cursorOf(order, request.before),
  };
  const selected = { name: "owner_users", filtered, applicationId, condition, countMax };
  const page = { sort, first, last, ...cursors, withCursors: true };
  const read = await readOrderedPage(deps, selected, page);
  if (order.field !== "id") return read;
  return { ...read, cursorAt: (index) => String(read.list.users[index]?.id ?? 0) };
}

/** @throws Fault INVALID on sort */
function checkOrder(
  { field }: UserListOrder,
  { filter, blocked, guest }: ApplicationUsersRequest,
): void {
  if (field === "id" || filter) return;
  if (blocked || guest) {
    throw Fault.field("sort", "must be by ID for blocked users or guests without a filter");
  }
  if (field === "userTags") throw Fault.field("sort", "by USER_TAGS requires a filter");
}

function conditionOf({ filter, blocked, guest }: ApplicationUsersRequest): CompiledUserFilter {
  const { sql, values, ...rest }: CompiledUserFilter = filter
    ? compileUserFilter(filter)
    : { sql: "TRUE", values: [], startWith: false };
  const conditions = [sql];
  // Literals, so that the planner knows how many users match, and finds the indexes of blocked users and of guests.
  if (isGiven(blocked)) conditions.push(`u.blocked_at IS ${blocked ? "NOT NULL" : "NULL"}`);
  if (isGiven(guest)) conditions.push(guest ? "u.is_guest" : "NOT u.is_guest");
  return { sql: conditions.join(" AND "), values, ...rest };
}

/** A cursor in the form of the V2 list; in a list by id, the cursor of a user is its id. */
function cursorOf(order: UserListOrder, cursor: string | null | undefined) {
  const id = order.field === "id" && isGiven(cursor) ? parseId(cursor) : null;
  return id === null ? cursor : encodeUserCursor(order, { id, value: null });
}
