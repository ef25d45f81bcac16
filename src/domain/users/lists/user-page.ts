import { Fault } from "../../../core/errors";
import type { UserViewer } from "../../../core/viewer";
import { findApplication } from "../../applications/applications";
import { PAGE_MAX } from "../../paging/page";
import type { UserDeps } from "../user-deps";
import {
  compileLegacyConditions,
  compileLegacyOrder,
  type LegacyCondition,
  type LegacyOrder,
} from "./legacy-filter";
import { readUserList, type UserList } from "./user-list-queries";

/** Default number of users per page. */
export const PER_PAGE = 10;
/** Maximum number of tags of a search. */
const TAGS_MAX = 1_000;

const DISABLED =
  "The list of users at /users is disabled: it can be enabled in the application's user settings. Use /users/v2 instead";

/** Number and size of a page. */
export interface NumberedPageRequest {
  /** Counted from 1. */
  page?: number | null;
  /** Capped at 100. */
  perPage?: number | null;
  /** Whether the total will be needed, so that one statement reads the page and counts. */
  withTotal?: boolean;
}

/** A numbered page of a deprecated user list. */
export interface UserPageResult {
  list: UserList;
  currentPage: number;
  perPage: number;
}

/**
 * Lists users of the viewer's application by the filter language of the V1 user list.
 * @throws Fault FORBIDDEN if the application disables that list; INVALID on filter, page or perPage
 */
export async function listUserPage(
  deps: UserDeps,
  viewer: UserViewer,
  request: NumberedPageRequest & {
    filter?: readonly LegacyCondition[] | null;
    order?: LegacyOrder | null;
  },
): Promise<UserPageResult> {
  const { v1ListDisabled } = await findApplication(deps, viewer.applicationId);
  if (v1ListDisabled) throw Fault.base(DISABLED, undefined, "FORBIDDEN");
  const { sql, values } = compileLegacyConditions(request.filter ?? []);
  return readPage(deps, viewer, request, {
    name: "user_page",
    where: sql,
    order: compileLegacyOrder(request.order),
    values,
  });
}

/** Lists the users with exactly this name. @throws Fault INVALID on page or perPage */
export async function usersByFullName(
  deps: UserDeps,
  viewer: UserViewer,
  fullName: string,
  request: NumberedPageRequest,
): Promise<UserPageResult> {
  return readPage(deps, viewer, request, {
    name: "users_by_full_name",
    where: "u.full_name = $2::text",
    order: "u.id",
    values: [fullName],
  });
}

/** Lists the users with any of these tags. @throws Fault INVALID on tags, page or perPage */
export async function usersByTags(
  deps: UserDeps,
  viewer: UserViewer,
  tags: readonly string[],
  request: NumberedPageRequest,
): Promise<UserPageResult> {
  if (tags.length === 0) throw Fault.field("tags", "is required");
  if (tags.length > TAGS_MAX) throw Fault.field("tags", `are too many (maximum is ${TAGS_MAX})`);
  return readPage(deps, viewer, request, {
    name: "users_by_tags",
    where: `u.id IN (SELECT g.user_id FROM user_tags g
      WHERE g.application_id = $1 AND g.tag = ANY($2::text[]))`,
    order: "u.id",
    values: [tags],
  });
}

async function readPage(
  deps: UserDeps,
  viewer: UserViewer,
  request: NumberedPageRequest,
  selection: { name: string; where: string; order: string; values: unknown[] },
): Promise<UserPageResult> {
  const currentPage = request.page ?? 1;
  if (currentPage < 1) throw Fault.field("page", "must be at least 1");
  const requested = request.perPage ?? PER_PAGE;
  if (requested < 1) throw Fault.field("perPage", "must be at least 1");
  const perPage = Math.min(requested, PAGE_MAX);
  // Keeps the offset an exact integer; no list is that long.
  const offset = Math.min((currentPage - 1) * perPage, Number.MAX_SAFE_INTEGER);
  const values = [viewer.applicationId, ...selection.values];
  const list = await readUserList(
    deps,
    { ...selection, values },
    { offset, limit: perPage, withTotal: request.withTotal },
  );
  return { list, currentPage, perPage };
}
