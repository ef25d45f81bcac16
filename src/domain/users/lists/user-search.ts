import { Fault } from "../../../core/errors";
import { isValidText } from "../../../core/text/text";
import { isGiven, type PageRequest, pageSize } from "../../paging/page";
import type { UserDeps } from "../user-deps";
import { START_WITH_LIMIT } from "./user-filter";
import type { UserListPage } from "./user-list";
import {
  countMatches,
  type FoundUser,
  readMatches,
  SEARCH_KEYS,
  type SearchKey,
  type UserSearch,
} from "./user-search-queries";

/**
 * The list of a search has the users whose login matches, by login, and then the others whose e-mail matches, by
 * e-mail: an index has each part in its order, however many match and wherever their ids are. Within an application a
 * login or an e-mail belongs to one user, so it is a position.
 *
 * The second part passes over the users of the first. A page from the start, or after a page, reads it only where the
 * first part ends. There is no page from the end (`last` without `before`), which would pass over all users of whom both
 * match.
 */
interface SearchPosition {
  key: SearchKey;
  value: string;
}

type Match = FoundUser & SearchPosition;

/**
 * Lists the users that a search finds. Does not check permissions.
 * @param countMax where the total stops
 * @throws Fault INVALID on the paging parameter
 */
export async function searchUsers(
  { store }: Pick<UserDeps, "store">,
  search: UserSearch,
  page: PageRequest,
  countMax: number,
): Promise<UserListPage> {
  const { size, backward } = pageSize(page);
  const limit = search.condition.startWith ? Math.min(size, START_WITH_LIMIT) : size;
  const after = positionOf("after", page.after);
  const before = positionOf("before", page.before);
  if (backward && !before) throw Fault.field("last", "requires before if search is given");
  const found: Match[] = [];
  for (const key of backward ? [...SEARCH_KEYS].reverse() : SEARCH_KEYS) {
    const wanted = limit + 1 - found.length;
    if (wanted === 0) break;
    if (isBefore(key, after) || isBehind(key, before)) continue;
    const matches = await readMatches(store, search, key, {
      above: after?.key === key ? after.value : undefined,
      below: before?.key === key ? before.value : undefined,
      descending: backward,
      limit: wanted,
    });
    found.push(...matches.map((match) => ({ ...match, key })));
  }
  const hasMore = found.length > limit;
  const matches = found.slice(0, limit);
  if (backward) matches.reverse();
  const isWhole = !hasMore && !after && !before;
  return {
    list: {
      users: matches.map(({ user }) => user),
      values: [],
      offset: 0,
      limit,
      hasMore,
      total: async () => (isWhole ? matches.length : countAll(store, search, countMax)),
    },
    hasNextPage: backward || hasMore,
    hasPreviousPage: backward ? hasMore : after !== undefined,
    cursorAt: (index) => encodePosition(matches[index]),
  };
}

/** The second part passes over the users of the first, of which there are few if the first has less than all. */
async function countAll(
  store: UserDeps["store"],
  search: UserSearch,
  countMax: number,
): Promise<number> {
  let total = 0;
  for (const key of SEARCH_KEYS) {
    if (total < countMax) total += await countMatches(store, search, key, countMax - total);
  }
  return total;
}

/** Whether all of a part is before a position. */
function isBefore(key: SearchKey, position: SearchPosition | undefined): boolean {
  return position !== undefined && SEARCH_KEYS.indexOf(key) < SEARCH_KEYS.indexOf(position.key);
}

/** Whether all of a part is behind a position. */
function isBehind(key: SearchKey, position: SearchPosition | undefined): boolean {
  return position !== undefined && SEARCH_KEYS.indexOf(key) > SEARCH_KEYS.indexOf(position.key);
}

function encodePosition(position: SearchPosition | undefined): string {
  return Buffer.from(JSON.stringify([position?.key, position?.value])).toString("base64url");
}

/** @throws Fault INVALID on the argument, also for a cursor of another list */
function positionOf(
  argument: "after" | "before",
  cursor: string | null | undefined,
): SearchPosition | undefined {
  if (!isGiven(cursor)) return undefined;
  const position = decodePosition(cursor);
  if (!position) throw Fault.field(argument, "is not a cursor of a search");
  return position;
}

function decodePosition(cursor: string): SearchPosition | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 2) return undefined;
  const key = SEARCH_KEYS.find((each) => each === parts[0]);
  const value: unknown = parts[1];
  return key && typeof value === "string" && isValidText(value) ? { key, value } : undefined;
}
