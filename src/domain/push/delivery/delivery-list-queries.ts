import type { Statement, Store } from "../../../platform/store/store";
import type { IdRange } from "../../paging/page";
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type PushDelivery,
  type PushOutcome,
  STORED_OUTCOMES,
  toDelivery,
} from "./delivery-queries";

/**
 * Statements that list push_deliveries. A function takes `query` of the store, and throws Fault UNAVAILABLE
 * if the database cannot be reached.
 */

/** Place of a delivery in the list of a user's deliveries, which goes from the newest event to the oldest. */
export interface DeliveryPosition {
  eventId: number;
  occurrence: number;
  subscriptionId: number;
}

/** A part of the list of a user's deliveries, to be read from one end. */
export interface DeliveryRange {
  /** Bounds, exclusive. */
  above: DeliveryPosition;
  below: DeliveryPosition;
  /** Whether to read from the highest position down. */
  descending: boolean;
  limit: number;
}

/**
 * The two directions of a list of an event's deliveries, in the order of an index.
 * @param column the last column of the index before the id. Rows are ordered by it and the id: by the id alone, the
 * planner may walk the primary key past the deliveries of all other events
 * @param value the value of the column
 * @param where what the columns before it equal; they are not compared with it, since PostgreSQL ends a scan of rows
 * only where the first of the compared columns differs
 */
const ofEvent = (name: string, column: string, value: string, where: string[] = []) => {
  const compare = (operator: string, id: string) =>
    `(${column}, d.id) ${operator} (${value}, ${id}::bigint)`;
  const conditions = [...where, compare(">", "$2"), compare("<", "$3")].join(" AND ");
  const inDirection = (suffix: string, direction: "ASC" | "DESC"): Statement => ({
    name: `${name}${suffix}`,
    text: `SELECT ${DELIVERY_COLUMNS} WHERE ${conditions}
      ORDER BY ${column} ${direction}, d.id ${direction} LIMIT $4`,
  });
  return { ascending: inDirection("", "ASC"), descending: inDirection("_descending", "DESC") };
};
const OF_EVENT = ofEvent("push_deliveries_of_event", "d.event_id", "$1::bigint");
const WITH_OUTCOME = ofEvent(
  "push_deliveries_with_outcome",
  "d.outcome",
  "$5::text::push_outcome",
  ["d.event_id = $1::bigint"],
);

/**
 * $1 the user, $2 to $4 and $5 to $7 the bounds. Reads each of the user's subscriptions, of which there are
 * few, from the bound on.
 */
const ofUser = (name: string, direction: "ASC" | "DESC"): Statement => ({
  name,
  text: `SELECT d.* FROM push_subscriptions o CROSS JOIN LATERAL (
      SELECT ${DELIVERY_COLUMNS}
      WHERE (d.subscription_id, d.event_id, d.occurrence) >= (o.id, $2::bigint, $3::int)
        AND (d.subscription_id, d.event_id, d.occurrence) <= (o.id, $5::bigint, $6::int)
        AND (d.event_id, d.occurrence, d.subscription_id) > ($2::bigint, $3::int, $4::bigint)
        AND (d.event_id, d.occurrence, d.subscription_id) < ($5::bigint, $6::int, $7::bigint)
      ORDER BY d.subscription_id ${direction}, d.event_id ${direction}, d.occurrence ${direction}
      LIMIT $8) d
    WHERE o.user_id = $1
    ORDER BY d.event_id ${direction}, d.occurrence ${direction}, d.subscription_id ${direction} LIMIT $8`,
});
const OF_USER = {
  ascending: ofUser("push_deliveries_of_user", "ASC"),
  descending: ofUser("push_deliveries_of_user_descending", "DESC"),
};

/**
 * Lists deliveries of an event in a range of ids, in its direction.
 * @param outcome null for all
 */
export async function listDeliveriesOfEvent(
  query: Store["query"],
  eventId: number,
  outcome: PushOutcome | null,
  { above, below, descending, limit }: IdRange,
): Promise<PushDelivery[]> {
  const statements = outcome === null ? OF_EVENT : WITH_OUTCOME;
  const statement = descending ? statements.descending : statements.ascending;
  const values: unknown[] = [eventId, above, below, limit];
  if (outcome !== null) values.push(STORED_OUTCOMES[outcome]);
  return (await query<DeliveryRow>(statement, values)).map(toDelivery);
}

/** Lists deliveries to the present devices of a user in a range, in its direction. */
export async function listDeliveriesOfUser(
  query: Store["query"],
  userId: number,
  { above, below, descending, limit }: DeliveryRange,
): Promise<PushDelivery[]> {
  const bound = (at: DeliveryPosition) => [at.eventId, at.occurrence, at.subscriptionId];
  const statement = descending ? OF_USER.descending : OF_USER.ascending;
  const values = [userId, ...bound(above), ...bound(below), limit];
  return (await query<DeliveryRow>(statement, values)).map(toDelivery);
}
