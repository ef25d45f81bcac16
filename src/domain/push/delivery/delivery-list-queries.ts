import {
  type IdRange,
  type KeysetRange,
  keyset,
  readRange,
} from "../../../platform/store/rows/keyset";
import type { Store } from "../../../platform/store/store";
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

/**
 * Ordered by the last column of the index before the id, too: by the id alone, the planner may walk the primary key past
 * the deliveries of all other events. The columns before it are not compared with the bounds, since PostgreSQL ends a scan
 * of rows only where the first of the compared columns differs.
 */
const OF_EVENT = keyset(
  {
    name: "push_deliveries_of_event",
    values: 1,
    columns: { "d.event_id": "$1::bigint", "d.id": "?::bigint" },
  },
  ({ within, order, limit }) =>
    `SELECT ${DELIVERY_COLUMNS} WHERE ${within} ORDER BY ${order} LIMIT ${limit}`,
);
const WITH_OUTCOME = keyset(
  {
    name: "push_deliveries_with_outcome",
    values: 2,
    columns: { "d.outcome": "$2::text::push_outcome", "d.id": "?::bigint" },
  },
  ({
    within,
    order,
    limit,
  }) => `SELECT ${DELIVERY_COLUMNS} WHERE d.event_id = $1::bigint AND ${within}
    ORDER BY ${order} LIMIT ${limit}`,
);

/** $1 is the user. Reads each of the user's subscriptions, of which there are few, from the bound on. */
const OF_USER = keyset(
  {
    name: "push_deliveries_of_user",
    values: 1,
    columns: {
      "d.event_id": "?::bigint",
      "d.occurrence": "?::int",
      "d.subscription_id": "?::bigint",
    },
  },
  ({
    within,
    order,
    direction,
    limit,
  }) => `SELECT d.* FROM push_subscriptions o CROSS JOIN LATERAL (
      SELECT ${DELIVERY_COLUMNS}
      WHERE (d.subscription_id, d.event_id, d.occurrence) >= (o.id, $2::bigint, $3::int)
        AND (d.subscription_id, d.event_id, d.occurrence) <= (o.id, $5::bigint, $6::int) AND ${within}
      ORDER BY d.subscription_id ${direction}, d.event_id ${direction}, d.occurrence ${direction}
      LIMIT ${limit}) d
    WHERE o.user_id = $1 ORDER BY ${order} LIMIT ${limit}`,
);

/**
 * Lists deliveries of an event in a range of ids, in its direction.
 * @param outcome null for all
 */
export async function listDeliveriesOfEvent(
  query: Store["query"],
  eventId: number,
  outcome: PushOutcome | null,
  range: IdRange,
): Promise<PushDelivery[]> {
  const statements = outcome === null ? OF_EVENT : WITH_OUTCOME;
  const values = outcome === null ? [eventId] : [eventId, STORED_OUTCOMES[outcome]];
  return (await readRange<DeliveryRow>(query, statements, values, range)).map(toDelivery);
}

/** A part of the deliveries of a user, in the order of their events. */
export type UserDeliveryRange = KeysetRange<
  readonly [eventId: number, occurrence: number, subscriptionId: number]
>;

/** Lists deliveries to the present devices of a user in a range, in its direction. */
export async function listDeliveriesOfUser(
  query: Store["query"],
  userId: number,
  range: UserDeliveryRange,
): Promise<PushDelivery[]> {
  return (await readRange<DeliveryRow>(query, OF_USER, [userId], range)).map(toDelivery);
}
