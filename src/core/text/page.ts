import { Fault } from "../errors";
import { parseId } from "./ids";

/** Default and maximum number of entries of a page. */
export const PAGE_MAX = 100;

/** A page to list: up to `first` entries after the cursor `after`. */
export interface PageRequest {
  first?: number | null;
  after?: string | null;
}

/** Number of entries of a page. @throws Fault INVALID on `first` */
export function pageSize({ first }: PageRequest): number {
  const size = Math.min(PAGE_MAX, first ?? PAGE_MAX);
  if (size < 1) throw Fault.field("first", "must be at least 1");
  return size;
}

/** The id that the entries of a page are below, in a list by descending id. @throws Fault INVALID on `after` */
export function idBefore({ after }: PageRequest): number {
  const id = after === null || after === undefined ? Number.MAX_SAFE_INTEGER : parseId(after);
  if (id === null) throw Fault.field("after", "is not a cursor of this list");
  return id;
}
