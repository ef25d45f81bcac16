import { Fault } from "../../../core/errors";
import type { ApplicationReader } from "../../applications/application-deps";
import { findApplication } from "../../applications/applications";
import { isGiven, type PageRequest, pageSize } from "../../paging/page";
import type { UserDeps } from "../user-deps";
import {
  type CompiledUserFilter,
  compileUserFilter,
  START_WITH_LIMIT,
  type UserFilter,
  type UserListField,
} from "./user-filter";
import {
  type BindValue,
  decodeUserCursor,
  encodeUserCursor,
  listParts,
  orderBy,
  positionColumn,
  type UserListOrder,
  type UserRange,
} from "./user-keyset";
import { readUserList, type UserList, type UserSelection } from "./user-list-queries";

/** Order and page of a user list. A page has a size, and begins at a cursor or, over REST, at an offset. */
export interface OrderedPageRequest extends PageRequest {
  sort?: { asc?: UserListField | null; desc?: UserListField | null } | null;
  /** Number of users to skip; over REST, whose lists have no cursors. */
  offset?: number | null;
  /** `first`, as REST calls it. */
  limit?: number | null;
  /** Whether the total will be needed, so that one statement reads the page and counts. */
  withTotal?: boolean;
  /** Whether cursors, and what is beside the page, will be needed. */
  withCursors?: boolean;
}

/** Filter, order and page of a user list. */
export interface UserListRequest extends OrderedPageRequest {
  /** All users when omitted, which the application's settings must allow unless `isBackend`. */
  filter?: UserFilter | null;
  /** Whether the application's backend asks, by an API key. */
  isBackend?: boolean;
}

/** A page of a user list, in the order of the list. */
export interface UserListPage {
  list: UserList;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** The cursor of the user with an index in the page. */
  cursorAt(index: number): string;
}

const FULL_LIST_DISABLED =
  "Listing users without a filter is disabled in this application: pass a filter, or have its owner set v1ListDisabled to false";

/**
 * Lists users of an application, by the rules of the V2 user list.
 * @throws Fault INVALID with the violated rule, or on the paging parameter; FORBIDDEN without a filter if the
 * application's settings disable the V1 list for clients
 */
export async function listUsers(
  deps: ApplicationReader,
  { applicationId }: { applicationId: number },
  request: UserListRequest,
): Promise<UserListPage> {
  const condition = await conditionOf(deps, applicationId, request);
  const selected = { name: "user_list", applicationId, condition };
  return readOrderedPage(deps, selected, request);
}

/** The users that a list pages through. */
export interface SelectedUsers extends Pick<UserSelection, "name" | "filtered" | "countMax"> {
  applicationId: number;
  condition: CompiledUserFilter;
}

/**
 * Reads a page of users in an order of the V2 user list. Does not check permissions.
 * @throws Fault INVALID on the paging parameter
 */
export async function readOrderedPage(
  deps: Pick<UserDeps, "store">,
  { name, filtered, countMax, applicationId, condition }: SelectedUsers,
  request: OrderedPageRequest,
): Promise<UserListPage> {
  const { size, backward, offset } = pageOf(request);
  const limit = condition.startWith ? START_WITH_LIMIT : size;
  const order = orderOf(request.sort);
  const values = [applicationId, ...condition.values];
  const selection: UserSelection = {
    name,
    filtered,
    countMax,
    countOrder: filtered ? filteredOrder(condition) : "u.id",
    where: condition.sql,
    order: orderBy(order, backward),
    values,
    ...partsOf(order, request, backward, values.length),
    ...(request.withCursors && { position: positionColumn(order) }),
  };
  const page = { offset, limit, withTotal: request.withTotal, withNext: request.withCursors };
  const list = await readUserList(deps, selection, page);
  if (backward) {
    list.users.reverse();
    list.values.reverse();
  }
  return {
    list,
    hasNextPage: backward ? isGiven(request.before) : list.hasMore,
    hasPreviousPage: backward ? list.hasMore : isGiven(request.after),
    cursorAt(index) {
      const id = list.users[index]?.id ?? 0;
      return encodeUserCursor(order, { id, value: list.values[index] ?? null });
    },
  };
}

/**
 * In which order an index finds the users of a filter, if there is one: the planner may otherwise scan the table in
 * the hope of finding many early.
 */
function filteredOrder({ prefixKey }: CompiledUserFilter): string | undefined {
  return prefixKey && `${prefixKey} USING ~<~`;
}

async function conditionOf(
  deps: ApplicationReader,
  applicationId: number,
  { filter, isBackend }: UserListRequest,
): Promise<CompiledUserFilter> {
  if (filter) return compileUserFilter(filter);
  if (!isBackend && (await findApplication(deps, applicationId)).v1ListDisabled) {
    throw new Fault("FORBIDDEN", FULL_LIST_DISABLED);
  }
  return { sql: "TRUE", values: [], startWith: false };
}

/** The size, direction and offset of a page. @throws Fault INVALID on the argument */
function pageOf(request: OrderedPageRequest): { size: number; backward: boolean; offset: number } {
  const { first, last, limit } = request;
  const offset = request.offset ?? 0;
  if (offset < 0) throw Fault.field("offset", "must not be negative");
  if (isGiven(limit) && limit < 1) throw Fault.field("limit", "must be at least 1");
  return { ...pageSize({ first: first ?? limit, last }), offset };
}

/** The parts of the list between the cursors, whose parameters follow those of the filter. */
function partsOf(
  order: UserListOrder,
  { after, before }: PageRequest,
  backward: boolean,
  parameters: number,
): Pick<UserSelection, "parts" | "cursorValues"> {
  const ranges: UserRange[] = [];
  if (isGiven(after)) {
    ranges.push({ side: "after", position: decodeUserCursor(order, "after", after) });
  }
  if (isGiven(before)) {
    ranges.push({ side: "before", position: decodeUserCursor(order, "before", before) });
  }
  const cursorValues: unknown[] = [];
  const bind: BindValue = (value, type) => {
    cursorValues.push(value);
    return `$${parameters + cursorValues.length}::${type}`;
  };
  const parts = listParts(order, ranges, backward, bind);
  return ranges.length > 0 ? { parts, cursorValues } : { parts };
}

/** The order that a request asks for; by id if it asks for none. @throws Fault INVALID on sort */
export function orderOf(sort: OrderedPageRequest["sort"]): UserListOrder {
  if (sort?.asc && sort.desc) throw Fault.field("sort", "takes one of asc and desc");
  return { field: sort?.asc ?? sort?.desc ?? "id", descending: Boolean(sort?.desc) };
}
