import { startOfDay } from "../../components/days.ts";
import { useUrlFilters } from "../../components/url-filters.ts";
import type { CallState, CallsQueryVariables, ListedCallFragment } from "./calls.generated.ts";

/** Filters of the list in the URL. */
export interface CallFilters extends Record<string, string> {
  /** A state, or `live`. */
  status: string;
  /** Id of a user who takes part. */
  user: string;
  /** Days of the browser's time zone, such as 2026-11-27. */
  from: string;
  to: string;
}

const NO_FILTERS: CallFilters = { status: "", user: "", from: "", to: "" };

/** States of the filter, in its order. */
export const CALL_STATES: readonly CallState[] = [
  "RINGING",
  "ACCEPTED",
  "HUNG_UP",
  "LOST",
  "MISSED",
  "REJECTED",
  "FAILED",
];
const LIVE: CallState[] = ["RINGING", "ACCEPTED"];

/** The filters of the list, and what changes them. */
export interface CallFiltersState {
  filters: CallFilters;
  isFiltered: boolean;
  change(changes: Partial<CallFilters>): void;
  clear(): void;
}

/** The filters of the URL. */
export function useCallFilters(): CallFiltersState {
  const [filters, change] = useUrlFilters(NO_FILTERS);
  return {
    filters,
    isFiltered: Object.values(filters).some((value) => value !== ""),
    change,
    clear: () => change(NO_FILTERS),
  };
}

/** The filters as variables of the query. */
export function callVariables({
  status,
  user,
  from,
  to,
}: CallFilters): Omit<CallsQueryVariables, "applicationId"> {
  const states = statesOf(status);
  return {
    ...(states && { states }),
    ...(user && { userId: user }),
    ...(from && { since: startOfDay(from, 0) }),
    ...(to && { until: startOfDay(to, 1) }),
  };
}

/** Whether a call fits the filters. */
export function fitsFilters(
  { state, startedAt, participants }: ListedCallFragment,
  { status, user, from, to }: CallFilters,
): boolean {
  const states = statesOf(status);
  if (states && !states.includes(state)) return false;
  if (user && !participants.some(({ userId }) => userId === user)) return false;
  const at = Date.parse(startedAt);
  if (from && !(at >= Date.parse(startOfDay(from, 0)))) return false;
  return !to || at < Date.parse(startOfDay(to, 1));
}

/** The states that a filter stands for; null for all. A state of the URL that does not exist counts as none. */
function statesOf(status: string): CallState[] | null {
  if (status === "live") return LIVE;
  const state = CALL_STATES.find((each) => each === status);
  return state === undefined ? null : [state];
}
