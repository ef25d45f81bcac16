import { cappedCount, countUpTo } from "../../../store/rows/capped-counts";
import type { Store } from "../../../store/store";

/** Ordered by an index, so that the count stops at the limit. */
const OPEN_CALLS = cappedCount(
  "open_calls_count",
  `FROM unnest('{ringing,accepted}'::call_state[]) AS t(state) CROSS JOIN LATERAL (
      SELECT 1 FROM calls WHERE application_id = g.id AND state = t.state AND started_at > $3
      ORDER BY started_at DESC, id DESC LIMIT $2) AS open`,
);

/**
 * Counts the calls of applications that ring or are accepted, and started after a time, up to a limit.
 * @throws Fault UNAVAILABLE if the database cannot be reached
 */
export function countOpenCalls(
  store: Pick<Store, "query">,
  applicationIds: readonly number[],
  after: Date,
  max: number,
): Promise<number> {
  return countUpTo(store, OPEN_CALLS, applicationIds, max, after);
}
