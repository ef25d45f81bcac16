import { type IdRange, keyset, readRange } from "../../../platform/store/rows/keyset";
import type { Statement, Store } from "../../../platform/store/store";
import { EVENT_COLUMNS, type EventRow, toEvent } from "./event-queries";
import type { PushEvent, PushEventKind, PushEventState } from "./push-event";

/**
 * Statements on push_events that list, find and stop events. A function takes `query` of the store or of a
 * transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Kinds and states of events to list. */
export interface EventKindsAndStates {
  kinds: readonly PushEventKind[];
  states: readonly PushEventState[];
}

const list = (name: string, owner: string) =>
  keyset(
    { name, values: 1, columns: { [owner]: "$1::bigint", "e.id": "?::bigint" } },
    ({ within, order, limit }) => `SELECT ${EVENT_COLUMNS} FROM push_events e
      WHERE ${within} ORDER BY ${order} LIMIT ${limit}`,
  );
const OF_USER = list("push_events_of_user", "e.user_id");
const OF_APPLICATION = list("push_events_of_application", "e.application_id");

/**
 * The state of an event, as `stateOf` computes it. The migration owners_push creates the index
 * push_events_state on this expression, so both must have the same text.
 */
const STATE = `(CASE WHEN e.next_run_at IS NOT NULL THEN 'SCHEDULED'
    WHEN e.expanded_to IS NOT NULL
      OR e.delivery_count > e.accepted_count + e.gone_count + e.refused_count THEN 'SENDING'
    ELSE 'FINISHED' END)`;

/** One index scan for each pair of a kind ($2) and a state ($3), so that rare pairs are found at once. */
const FILTERED = keyset(
  {
    name: "push_events_of_application_filtered",
    values: 3,
    columns: {
      "e.application_id": "$1::bigint",
      "e.kind": "k.kind",
      [STATE]: "s.state",
      "e.id": "?::bigint",
    },
  },
  ({ within, order, direction, limit }) => `SELECT e.* FROM unnest($2::text[]) AS k(kind)
    CROSS JOIN unnest($3::text[]) AS s(state)
    CROSS JOIN LATERAL (SELECT ${EVENT_COLUMNS} FROM push_events e
      WHERE ${within} ORDER BY ${order} LIMIT ${limit}) e
    ORDER BY e.id ${direction} LIMIT ${limit}`,
);

const BY_ID: Statement = {
  name: "push_event_by_id",
  text: `SELECT ${EVENT_COLUMNS} FROM push_events e WHERE e.id = $1`,
};

const STOP: Statement = {
  name: "stop_push_event",
  text: `WITH e AS (UPDATE push_events SET active = false, next_run_at = NULL, expanded_to = NULL,
      expanded_sub = NULL, dispatched_at = coalesce(dispatched_at, $2),
      stopped_at = CASE WHEN active THEN coalesce(stopped_at, $2) ELSE stopped_at END,
      withdrawn_at = CASE WHEN $3::boolean
          AND delivery_count > accepted_count + gone_count + refused_count
        THEN coalesce(withdrawn_at, $2) ELSE withdrawn_at END,
      updated_at = $2 WHERE id = $1 RETURNING *)
    SELECT ${EVENT_COLUMNS} FROM e`,
};

/** Lists events of a user in a range of ids, in its direction. */
export async function listEventsOfUser(
  query: Store["query"],
  userId: number,
  range: IdRange,
): Promise<PushEvent[]> {
  return (await readRange<EventRow>(query, OF_USER, [userId], range)).map(toEvent);
}

/**
 * Lists events of an application like {@link listEventsOfUser}.
 * @param filter null for all events
 */
export async function listEventsOfApplication(
  query: Store["query"],
  applicationId: number,
  range: IdRange,
  filter: EventKindsAndStates | null,
): Promise<PushEvent[]> {
  const statements = filter === null ? OF_APPLICATION : FILTERED;
  const values = filter === null ? [applicationId] : [applicationId, filter.kinds, filter.states];
  return (await readRange<EventRow>(query, statements, values, range)).map(toEvent);
}

/** Finds an event; null if there is none. */
export async function findEventById(query: Store["query"], id: number): Promise<PushEvent | null> {
  const [row] = await query<EventRow>(BY_ID, [id]);
  return row ? toEvent(row) : null;
}

/**
 * Ends an event; null if there is none.
 * @param withdraw whether deliveries that are still unsent are not sent either
 */
export async function stopEventById(
  query: Store["query"],
  id: number,
  withdraw: boolean,
  now: Date,
): Promise<PushEvent | null> {
  const [row] = await query<EventRow>(STOP, [id, now, withdraw]);
  return row ? toEvent(row) : null;
}
