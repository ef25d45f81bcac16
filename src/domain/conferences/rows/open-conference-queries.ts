import { cappedCount, countUpTo } from "../../../platform/store/rows/capped-counts";
import type { Store } from "../../../platform/store/store";

/** Counts of what is open. A function throws Fault UNAVAILABLE if the database cannot be reached. */

/** Ordered by the index of open conferences, so that the count stops at the limit. */
const OPEN_CONFERENCES = cappedCount(
  "open_conferences_count",
  "FROM conferences WHERE application_id = g.id AND closed_at IS NULL ORDER BY id",
);
const TAKEN_SEATS = cappedCount(
  "taken_seats_count",
  `FROM conferences c JOIN conference_members m ON m.conference_id = c.id AND m.left_at IS NULL
    WHERE c.application_id = g.id AND c.closed_at IS NULL`,
);

/** Counts the open conferences of applications, up to a limit. */
export function countOpenConferences(
  store: Pick<Store, "query">,
  applicationIds: readonly number[],
  max: number,
): Promise<number> {
  return countUpTo(store, OPEN_CONFERENCES, applicationIds, max);
}

/** Counts the seats that are taken in the open conferences of applications, up to a limit. */
export function countTakenSeats(
  store: Pick<Store, "query">,
  applicationIds: readonly number[],
  max: number,
): Promise<number> {
  return countUpTo(store, TAKEN_SEATS, applicationIds, max);
}
