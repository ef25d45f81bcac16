import { Fault } from "../../core/errors";
import { isGiven, type Page, type PageRequest, pageOf, pageSize } from "./page";

/** A position in a list by time; the id orders what happened at the same time. */
export interface TimePosition {
  at: Date;
  id: number;
}

/** A part of a list by time, to be read from one end. Both bounds are exclusive. */
export interface TimeBounds {
  above: TimePosition;
  below: TimePosition;
  /** Whether to read from the latest down. */
  descending: boolean;
  limit: number;
}

/** The times that a list is limited to. */
export interface TimeFilter {
  /** The earliest time. */
  since?: Date | null;
  /** The time that ends it, exclusive. */
  until?: Date | null;
}

/** Before and after everything that is stored. */
const EARLIEST: TimePosition = { at: new Date(0), id: 0 };
const LATEST: TimePosition = { at: new Date("9999-01-01T00:00:00Z"), id: 0 };
const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

/** The cursor of an entry. */
export function timeCursor({ at, id }: TimePosition): string {
  return `${at.getTime()}-${id}`;
}

/**
 * Reads a page of a list by time, latest first. New entries and deleted ones shift nothing.
 * @param read reads up to `limit` entries of a range, in its direction
 * @throws Fault INVALID on `first`, `last`, `after`, `before`, `since` or `until`
 */
export async function readTimePage<T>(
  page: PageRequest,
  filter: TimeFilter,
  read: (range: TimeBounds) => Promise<T[]>,
): Promise<Page<T>> {
  const { size, backward } = pageSize(page);
  const after = positionOf("after", page.after);
  const before = positionOf("before", page.before);
  const found = await read({
    above: latest(before ?? EARLIEST, startOf("since", filter.since) ?? EARLIEST),
    below: earliest(after ?? LATEST, startOf("until", filter.until) ?? LATEST),
    descending: !backward,
    limit: size + 1,
  });
  return pageOf(found, { size, backward, after, before });
}

/** The position before everything at a time: ids begin with 1. */
function startOf(argument: "since" | "until", at: Date | null | undefined) {
  if (!isGiven(at)) return undefined;
  if (at < EARLIEST.at || at > LATEST.at) throw Fault.field(argument, "is out of range");
  return { at, id: 0 };
}

function positionOf(argument: "after" | "before", cursor: string | null | undefined) {
  if (!isGiven(cursor)) return undefined;
  const [, ms, id] = CURSOR.exec(cursor) ?? [];
  const at = new Date(Number(ms));
  if (!(at <= LATEST.at)) throw Fault.field(argument, "is not a cursor of this list");
  return { at, id: Number(id) };
}

function isBefore(a: TimePosition, b: TimePosition): boolean {
  return a.at < b.at || (a.at.getTime() === b.at.getTime() && a.id < b.id);
}

const latest = (a: TimePosition, b: TimePosition) => (isBefore(a, b) ? b : a);
const earliest = (a: TimePosition, b: TimePosition) => (isBefore(a, b) ? a : b);
