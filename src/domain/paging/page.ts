import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";

/** Default and maximum number of entries of a page. */
export const PAGE_MAX = 100;

/**
 * A page to list (Relay cursor connections): the first entries after a cursor, or the last ones before a cursor.
 * With both cursors, of the entries between them.
 */
export interface PageRequest {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** A page of a list. Entries before a page that begins after a cursor are taken for granted, and vice versa. */
export interface Page<T> {
  nodes: T[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** A part of a list by id, to be read from one end. */
export interface IdRange {
  /** Lower bound, exclusive. */
  above: number;
  /** Upper bound, exclusive. */
  below: number;
  /** Whether to read from the highest id down. */
  descending: boolean;
  limit: number;
}

/**
 * Reads a page of a list by id. New entries and deleted ones shift nothing: a cursor is the id of its entry.
 * @param newestFirst the order of the list: by descending id, or by ascending id
 * @param read reads up to `limit` entries of a range, in its direction
 * @throws Fault INVALID on `first`, `last`, `after` or `before`
 */
export async function readIdPage<T>(
  page: PageRequest,
  newestFirst: boolean,
  read: (range: IdRange) => Promise<T[]>,
): Promise<Page<T>> {
  const { size, backward } = pageSize(page);
  const after = cursorId("after", page.after);
  const before = cursorId("before", page.before);
  const [lower, upper] = newestFirst ? [before, after] : [after, before];
  const found = await read({
    above: lower ?? 0,
    below: upper ?? Number.MAX_SAFE_INTEGER,
    descending: newestFirst !== backward,
    limit: size + 1,
  });
  return pageOf(found, { size, backward, after, before });
}

/**
 * The page of what was read of a list.
 * @param found the entries from the end that the page is taken from, one more than its size if there are more
 * @param request the size and direction, and the positions of the cursors, if there are any
 */
export function pageOf<T>(
  found: readonly T[],
  request: { size: number; backward: boolean; after: unknown; before: unknown },
): Page<T> {
  const { size, backward, after, before } = request;
  const nodes = found.slice(0, size);
  if (backward) nodes.reverse();
  const isMore = found.length > size;
  return {
    nodes,
    hasNextPage: backward ? before !== undefined : isMore,
    hasPreviousPage: backward ? isMore : after !== undefined,
  };
}

/** The cursors of a list that is completely in memory. */
export interface ListOrder<T, Position> {
  /** Decodes a cursor; null if it is not one of this list. */
  decode(cursor: string): Position | null;
  /** The order of an entry relative to a position: negative before, positive after it. */
  compare(entry: T, position: Position): number;
}

/**
 * Takes a page of a list that is completely in memory.
 * @param max the maximum size of a page
 * @throws Fault INVALID on `first`, `last`, `after` or `before`
 */
export function takePage<T, Position>(
  list: readonly T[],
  page: PageRequest,
  { decode, compare }: ListOrder<T, Position>,
  max = PAGE_MAX,
): Page<T> {
  const { size, backward } = pageSize(page, max);
  const position = (argument: "after" | "before") => {
    const cursor = page[argument];
    if (!isGiven(cursor)) return undefined;
    const decoded = decode(cursor);
    if (decoded === null) throw notACursor(argument);
    return decoded;
  };
  const after = position("after");
  const before = position("before");
  const within = list.filter(
    (entry) =>
      (after === undefined || compare(entry, after) > 0) &&
      (before === undefined || compare(entry, before) < 0),
  );
  const isMore = within.length > size;
  return {
    nodes: backward ? within.slice(-size) : within.slice(0, size),
    hasNextPage: backward ? before !== undefined : isMore,
    hasPreviousPage: backward ? isMore : after !== undefined,
  };
}

/**
 * The size of a page, and whether it is taken from the end.
 * @param max the maximum size
 * @throws Fault INVALID on `first` or `last`
 */
export function pageSize(
  { first, last }: Pick<PageRequest, "first" | "last">,
  max = PAGE_MAX,
): { size: number; backward: boolean } {
  if (isGiven(first) && isGiven(last)) throw Fault.field("last", "cannot be combined with first");
  const backward = isGiven(last);
  const size = Math.min(max, first ?? last ?? PAGE_MAX);
  if (size < 1) throw Fault.field(backward ? "last" : "first", "must be at least 1");
  return { size, backward };
}

/** The id that a cursor contains. @throws Fault INVALID on the argument */
function cursorId(argument: "after" | "before", cursor: string | null | undefined) {
  if (!isGiven(cursor)) return undefined;
  const id = parseId(cursor);
  if (id === null) throw notACursor(argument);
  return id;
}

function notACursor(argument: "after" | "before"): Fault {
  return Fault.field(argument, "is not a cursor of this list");
}

/** Whether an optional argument has a value. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
