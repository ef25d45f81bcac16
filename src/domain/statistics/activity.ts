import { countOpenCalls } from "../calls/history/call-list-queries";
import { countOpenConferences, countTakenSeats } from "../conferences/rows/open-conference-queries";
import { countLiveSessionsOfAll } from "../sessions/application-session-queries";
import type { StatisticsDeps } from "./statistics-deps";

/** Number up to which what is open is counted. */
export const LIVE_COUNT_MAX = 10_000;
/** Time after which a call that nobody has ended does not count as open any more, in milliseconds: a day. */
const CALL_OPEN_MS = 86_400_000;

/** A number that is counted up to {@link LIVE_COUNT_MAX}. */
export interface LiveNumber {
  count: number;
  isExact: boolean;
}

/** What is counted by rows. */
export type LiveCountName = "sessions" | "calls" | "conferences" | "conferenceParticipants";

/** The count of each, up to a maximum. */
const COUNTS: Record<
  LiveCountName,
  (deps: StatisticsDeps, applicationIds: readonly number[], max: number) => Promise<number>
> = {
  sessions: ({ store, clock }, ids, max) =>
    countLiveSessionsOfAll(store, ids, new Date(clock.now()), max),
  calls: ({ store, clock }, ids, max) =>
    countOpenCalls(store, ids, new Date(clock.now() - CALL_OPEN_MS), max),
  conferences: ({ store }, ids, max) => countOpenConferences(store, ids, max),
  conferenceParticipants: ({ store }, ids, max) => countTakenSeats(store, ids, max),
};

/** Counts what is open now of applications. */
export async function countLive(
  deps: StatisticsDeps,
  applicationIds: readonly number[],
  name: LiveCountName,
): Promise<LiveNumber> {
  // One more than the maximum, to tell whether there are more.
  const count = await COUNTS[name](deps, applicationIds, LIVE_COUNT_MAX + 1);
  return { count: Math.min(count, LIVE_COUNT_MAX), isExact: count <= LIVE_COUNT_MAX };
}
