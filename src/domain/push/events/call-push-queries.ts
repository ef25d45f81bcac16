import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";
import { FIRST_WINDOW } from "./dispatch-queries";

/** An incoming-call push to one user, with one event per channel. */
export interface CallPushEvents {
  applicationId: number;
  environment: PushEnvironment;
  callId: number;
  message: string;
  selector: Selector;
  channels: readonly PushChannel[];
}

const WRITE: Statement = {
  name: "write_call_pushes",
  text: `INSERT INTO push_events (application_id, event_type, channel, environment, message, selector,
      universal, expanded_to, expanded_sub, created_at, updated_at, kind, call_id)
    SELECT g.application_id, 'one_shot', c.channel::push_channel, g.environment, g.message, g.selector,
      true, ${FIRST_WINDOW.recipient}, ${FIRST_WINDOW.subscription}, $2::timestamptz, $2::timestamptz, 'CALL',
      g.call_id
    FROM jsonb_to_recordset($1::text::jsonb) AS g(application_id bigint,
        environment push_environment, message text, selector jsonb, call_id bigint, channels text[])
      CROSS JOIN LATERAL unnest(g.channels) AS c(channel)
    RETURNING id`,
};

/** Stops the fan-out of a push, and marks it so that pending deliveries are not sent. */
const WITHDRAW: Statement = {
  name: "withdraw_call_pushes",
  text: `UPDATE push_events e SET withdrawn_at = $2::timestamptz, updated_at = $2::timestamptz,
      active = false, expanded_to = NULL, expanded_sub = NULL,
      dispatched_at = coalesce(e.dispatched_at, $2::timestamptz)
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
    WHERE e.call_id = g.call_id AND e.selector -> 'ids' = jsonb_build_array(g.user_id)
      AND e.withdrawn_at IS NULL`,
};

/** Writes the events of incoming-call pushes, one per channel. @returns their ids */
export async function insertCallPushes(
  query: Store["query"],
  pushes: readonly CallPushEvents[],
  now: Date,
): Promise<number[]> {
  const rows = pushes.map((push) => ({
    application_id: push.applicationId,
    call_id: push.callId,
    environment: push.environment,
    message: push.message,
    selector: push.selector,
    channels: push.channels,
  }));
  const events = await query<{ id: number }>(WRITE, [JSON.stringify(rows), now]);
  return events.map(({ id }) => id);
}

/** Withdraws the incoming-call pushes to users for calls. */
export async function withdrawEvents(
  query: Store["query"],
  callees: ReadonlyArray<{ callId: number; userId: number }>,
  now: Date,
): Promise<void> {
  const rows = callees.map(({ callId, userId }) => ({ call_id: callId, user_id: userId }));
  await query(WITHDRAW, [JSON.stringify(rows), now]);
}

const EXPORT: Statement = {
  name: "export_call_pushes",
  // Pushes that the user caused as the caller, and those that were sent to the user.
  text: `SELECT to_jsonb(e) AS row FROM push_events e WHERE e.call_id = ANY($1::bigint[])
      AND (e.call_id = ANY($2::bigint[]) OR e.selector -> 'ids' = jsonb_build_array($3::bigint))
    ORDER BY e.id`,
};
/** With the id 0, which no call has: for an empty list, the planner may read a whole partial index. */
const DELETE: Statement = {
  name: "delete_call_pushes",
  text: "DELETE FROM push_events WHERE call_id = ANY(array_append($1::bigint[], 0::bigint))",
};

/**
 * Exports incoming-call pushes that concern a user.
 * @param calls some of the user's calls
 * @param called those of them that the user started
 */
export async function exportPushesOfCalls(
  query: Store["query"],
  calls: readonly number[],
  called: readonly number[],
  userId: number,
): Promise<unknown[]> {
  const found = await query<{ row: unknown }>(EXPORT, [calls, called, userId]);
  return found.map(({ row }) => row);
}

/** Deletes the incoming-call pushes of calls. */
export async function deletePushesOfCalls(
  query: Store["query"],
  calls: readonly number[],
): Promise<void> {
  await query(DELETE, [calls]);
}
