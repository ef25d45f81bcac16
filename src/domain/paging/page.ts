import { Fault } from "../../core/errors";
import type { KeysetRange, Position } from "../../platform/store/rows/keyset";
import { type ListOrder, type PositionOrder } from "./list-order";

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

/**
 * Reads a page of a list.
 * @param read reads up to `limit` entries of a range, in its direction
 * @param part the part of the list to page through; all of it by default
 * @throws Fault INVALID on `first`, `last`, `after` or `before`
 */
export async function readPage<T, P extends Position>(
  page: PageRequest,
  order: PositionOrder<P>,
  read: (range: KeysetRange<P>) => Promise<T[]>,
  part: Partial<Pick<KeysetRange<P>, "above" | "below">> = {},
): Promise<Page<T>> {
  const { size, backward } = pageSize(page);
  const after = readCursor(order, page, "after");
  const before = readCursor(order, page, "before");
  const [lower, upper] = order.descending ? [before, after] : [after, before];
  const { above, below } = part;
  const found = await read({
    above: lower && !(above && order.compare(above, lower) > 0) ? lower : (above ?? order.lowest),
    below: upper && !(below && order.compare(below, upper) < 0) ? upper : (below ?? order.highest),
    descending: order.descending !== backward,
    limit: size + 1,
  });
  const nodes = found.slice(0, size);
  if (backward) nodes.reverse();
  const isMore = found.length > size;
  return {
    nodes,
    hasNextPage: backward ? before !== undefined : isMore,
    hasPreviousPage: backward ? isMore : after !== undefined,
  };
}

/**
 * Takes a page of a list that is completely in memory, in its order.
 * @param max the maximum size of a page
 * @throws Fault INVALID on `first`, `last`, `after` or `before`
 */
export function takePage<T, P extends Position>(
  list: readonly T[],
  page: PageRequest,
  order: ListOrder<T, P>,
  max = PAGE_MAX,
): Page<T> {
  const { size, backward } = pageSize(page, max);
  const after = readCursor(order, page, "after");
  const before = readCursor(order, page, "before");
  const within = list.filter(
    (entry) =>
      (after === undefined || compareEntries(order, entry, after) > 0) &&
      (before === undefined || compareEntries(order, entry, before) < 0),
  );
  const isMore = within.length > size;
  return {
    nodes: backward ? within.slice(-size) : within.slice(0, size),
    hasNextPage: backward ? before !== undefined : isMore,
    hasPreviousPage: backward ? isMore : after !== undefined,
  };
}

/** The order of an entry relative to a position: negative before, positive after it. */
function compareEntries<T, P extends Position>(order: ListOrder<T, P>, entry: T, position: P) {
  const difference = order.compare(order.positionOf(entry), position);
  return order.descending ? -difference : difference;
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

/** The position of a cursor; undefined without one. @throws Fault INVALID on the argument */
function readCursor<P extends Position>(
  order: PositionOrder<P>,
  page: PageRequest,
  argument: "after" | "before",
): P | undefined {
  const cursor = page[argument];
  if (!isGiven(cursor)) return undefined;
  const position = order.decode(cursor);
  if (position === null) throw Fault.field(argument, "is not a cursor of this list");
  return position;
}

/** Whether an optional argument has a value. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
