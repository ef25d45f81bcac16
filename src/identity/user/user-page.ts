import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import { findApplication } from "../application/applications";
import type { Identity } from "../identity";
import {
  type LegacyCondition,
  type LegacyOrder,
  legacyCondition,
  legacyOrder,
} from "./legacy-filter";
import { LIST_MAX, readList, type UserList } from "./user-list";

/** Users of a page by default (interface.md "Limits"). */
export const PER_PAGE = 10;
/** Tags of one search at most. */
const TAGS_MAX = 1_000;

const DISABLED =
  "The list of users at /users is disabled: it can be enabled in the application's user settings. " +
  "Use /users/v2 instead";

/** Which page: counted from 1, of how many users. */
export interface PageRequest {
  page?: number | null;
  /** Above 100 counts as 100. */
  perPage?: number | null;
  /** Whether the total will be asked for: then one statement reads the page and counts. */
  counted?: boolean;
}

/** A page of users as the deprecated lists have it. */
export interface UserPageResult {
  list: UserList;
  currentPage: number;
  perPage: number;
}

/**
 * Lists users of the viewer's application by the language of the V1 list.
 * @throws Fault FORBIDDEN while the application forbids that list; INVALID on filter, page or perPage
 */
export async function pageUsers(
  identity: Identity,
  viewer: UserViewer,
  request: PageRequest & {
    filter?: readonly LegacyCondition[] | null;
    order?: LegacyOrder | null;
  },
): Promise<UserPageResult> {
  const { v1ListDisabled } = await findApplication(identity, viewer.applicationId);
  if (v1ListDisabled) throw new Fault("FORBIDDEN", DISABLED, { base: [DISABLED] });
  const { sql, values } = legacyCondition(request.filter ?? []);
  return readPage(identity, viewer, request, {
    name: "user_page",
    where: sql,
    order: legacyOrder(request.order),
    values,
  });
}

/** The users of exactly this name. @throws Fault INVALID on fullName, page or perPage */
export async function usersByFullName(
  identity: Identity,
  viewer: UserViewer,
  fullName: string,
  request: PageRequest,
): Promise<UserPageResult> {
  return readPage(identity, viewer, request, {
    name: "users_by_full_name",
    where: "u.full_name = $2::text",
    order: "u.id",
    values: [fullName],
  });
}

/** The users who have any of these tags. @throws Fault INVALID on tags, page or perPage */
export async function usersByTags(
  identity: Identity,
  viewer: UserViewer,
  tags: readonly string[],
  request: PageRequest,
): Promise<UserPageResult> {
  if (tags.length === 0) throw Fault.field("tags", "is required");
  if (tags.length > TAGS_MAX) throw Fault.field("tags", `are too many (maximum is ${TAGS_MAX})`);
  return readPage(identity, viewer, request, {
    name: "users_by_tags",
    where: `u.id IN (SELECT g.user_id FROM user_tags g
      WHERE g.application_id = $1 AND g.tag = ANY($2::text[]))`,
    order: "u.id",
    values: [tags],
  });
}

async function readPage(
  identity: Identity,
  viewer: UserViewer,
  request: PageRequest,
  selection: { name: string; where: string; order: string; values: unknown[] },
): Promise<UserPageResult> {
  const currentPage = request.page ?? 1;
  if (currentPage < 1) throw Fault.field("page", "must be at least 1");
  const asked = request.perPage ?? PER_PAGE;
  if (asked < 1) throw Fault.field("perPage", "must be at least 1");
  const perPage = Math.min(asked, LIST_MAX);
  // Beyond the largest exact number nobody stands, and the offset is exact there.
  const offset = Math.min((currentPage - 1) * perPage, Number.MAX_SAFE_INTEGER);
  const values = [viewer.applicationId, ...selection.values];
  const list = await readList(
    identity,
    { ...selection, values },
    { offset, limit: perPage, counted: request.counted },
  );
  return { list, currentPage, perPage };
}
