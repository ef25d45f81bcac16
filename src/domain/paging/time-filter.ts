import { Fault } from "../../core/errors";
import { TIME } from "./list-order";
import { isGiven } from "./page";

/** The times that a list is limited to. */
export interface TimeFilter {
  /** The earliest time. */
  since?: Date | null;
  /** The time that ends it, exclusive. */
  until?: Date | null;
}

/**
 * The part of a list by time and id that a filter selects: ids begin with 1, so that 0 is before all of a time.
 * @throws Fault INVALID on `since` or `until`
 */
export function timePart(filter: TimeFilter) {
  const above = startOf("since", filter.since);
  const below = startOf("until", filter.until);
  return { ...(above && { above }), ...(below && { below }) };
}

function startOf(argument: "since" | "until", at: Date | null | undefined) {
  if (!isGiven(at)) return undefined;
  if (at < TIME.lowest || at > TIME.highest) throw Fault.field(argument, "is out of range");
  return [at, 0] as const;
}
