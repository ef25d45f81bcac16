import type { Statement, Store } from "../../../platform/store/store";
import type { IdRange } from "../../paging/page";
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

/**
 * The two directions of a list of events by id. Rows are compared and ordered by all columns of the index:
 * with equality on the owner, the planner may walk the primary key past the events of all others.
 * @param text the statement, for ASC or DESC
 */
const inBothDirections = (name: string, text: (direction: "ASC" | "DESC") => string) => ({
  descending: { name, text: text("DESC") } satisfies Statement,
  ascending: { name: `${name}_ascending`, text: text("ASC") } satisfies Statement,
});
const list = (name: string, owner: string) =>
  inBothDirections(
    name,
    (direction) => `SELECT ${EVENT_COLUMNS} FROM push_events e
      WHERE (${owner}, e.id) > ($1::bigint, $2::bigint) AND (${owner}, e.id) < ($1::bigint, $3::bigint)
      ORDER BY ${owner} ${direction}, e.id ${direction} LIMIT $4`,
  );
const LIST = list("push_events_of_user", "e.user_id");
const LIST_OWNED = list("push_events_of_application", "e.application_id");

/**
 * The state of an event, as `stateOf` computes it. The migration owners_push creates the index
 * push_events_state on this expression, so both must have the same text.
 */
const STATE = `(CASE WHEN e.next_run_at IS NOT NULL THEN 'SCHEDULED'
    WHEN e.expanded_to IS NOT NULL
      OR e.delivery_count > e.accepted_count + e.gone_count + e.refused_count THEN 'SENDING'
    ELSE 'FINISHED' END)`;

/** One index scan for each pair of a kind ($5) and a state ($6), so that rare pairs are found at once. */
const LIST_FILTERED = inBothDirections(
  "push_events_of_application_filtered",
  (
    direction,
  ) => `SELECT e.* FROM unnest($5::text[]) AS k(kind) CROSS JOIN unnest($6::text[]) AS s(state)
    CROSS JOIN LATERAL (SELECT ${EVENT_COLUMNS} FROM push_events e
      WHERE (e.application_id, e.kind, ${STATE}, e.id) > ($1::bigint, k.kind, s.state, $2::bigint)
        AND (e.application_id, e.kind, ${STATE}, e.id) < ($1::bigint, k.kind, s.state, $3::bigint)
      ORDER BY e.application_id ${direction}, e.kind ${direction}, ${STATE} ${direction}, e.id ${direction}
      LIMIT $4) e
    ORDER BY e.id ${direction} LIMIT $4`,
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
export function listEventsOfUser(
  query: Store["query"],
  userId: number,
  range: IdRange,
): Promise<PushEvent[]> {
  return listRange(query, LIST, userId, range);
}

/**
 * Lists events of an application like {@link listEventsOfUser}.
 * @param filter null for all events
 */
export function listEventsOfApplication(
  query: Store["query"],
  applicationId: number,
  range: IdRange,
  filter: EventKindsAndStates | null,
): Promise<PushEvent[]> {
  if (filter === null) return listRange(query, LIST_OWNED, applicationId, range);
  return listRange(query, LIST_FILTERED, applicationId, range, [filter.kinds, filter.states]);
}

async function listRange(
  query: Store["query"],
  statements: typeof LIST,
  ownerId: number,
  { above, below, descending, limit }: IdRange,
  more: unknown[] = [],
): Promise<PushEvent[]> {
  const statement = descending ? statements.descending : statements.ascending;
  return (await query<EventRow>(statement, [ownerId, above, below, limit, ...more])).map(toEvent);
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
