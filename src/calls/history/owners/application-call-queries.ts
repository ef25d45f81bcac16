import type { TimeBounds } from "../../../paging/time-page";
import type { Statement, Store } from "../../../store/store";
import { CALL_COLUMNS, type CallRow } from "../call-list-queries";
import type { CallState } from "../call-states";

/**
 * Statements on calls and call_participants for the owners of applications. A function throws Fault UNAVAILABLE if the
 * database cannot be reached.
 */

const COLUMNS = `${CALL_COLUMNS}, c.signals_truncated`;

/** Reads each state by its part of the index, up to the limit, and merges the parts. */
const listByState = (name: string, direction: "ASC" | "DESC"): Statement => ({
  name,
  text: `SELECT c.* FROM unnest($2::text[]::call_state[]) AS f(wanted) CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM calls c WHERE c.application_id = $1 AND c.state = f.wanted
        AND (c.started_at, c.id) > ($3::timestamptz, $4::bigint) AND (c.started_at, c.id) < ($5::timestamptz, $6::bigint)
      ORDER BY c.started_at ${direction}, c.id ${direction} LIMIT $7::int) AS c
    ORDER BY c.started_at ${direction}, c.id ${direction} LIMIT $7::int`,
});
const BY_STATE = {
  descending: listByState("application_calls", "DESC"),
  ascending: listByState("application_calls_ascending", "ASC"),
};

const listOfUser = (name: string, direction: "ASC" | "DESC"): Statement => ({
  name,
  text: `SELECT ${COLUMNS} FROM call_participants p JOIN calls c ON c.id = p.call_id
    WHERE p.user_id = $8 AND c.application_id = $1 AND c.state = ANY($2::text[]::call_state[])
      AND (p.started_at, p.call_id) > ($3::timestamptz, $4::bigint)
      AND (p.started_at, p.call_id) < ($5::timestamptz, $6::bigint)
    ORDER BY p.started_at ${direction}, p.call_id ${direction} LIMIT $7::int`,
});
const OF_USER = {
  descending: listOfUser("application_calls_of_user", "DESC"),
  ascending: listOfUser("application_calls_of_user_ascending", "ASC"),
};

/** A row of a call as owners see it. */
export type ApplicationCallRow = CallRow & { signals_truncated: boolean };

/** Which calls of an application to list. */
export interface ListedCalls {
  applicationId: number;
  states: readonly CallState[];
  /** Null for the calls of all users. */
  userId: number | null;
}

/** Lists calls of an application in a range of times, in its direction. */
export function listCallsOfApplication(
  { query }: Pick<Store, "query">,
  { applicationId, states, userId }: ListedCalls,
  { above, below, descending, limit }: TimeBounds,
): Promise<ApplicationCallRow[]> {
  const bounds = [above.at, above.id, below.at, below.id, limit];
  const values = [applicationId, states, ...bounds];
  const { descending: down, ascending: up } = userId === null ? BY_STATE : OF_USER;
  return query(descending ? down : up, userId === null ? values : [...values, userId]);
}
