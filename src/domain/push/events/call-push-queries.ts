import type { Statement, Store } from "../../../platform/store/store";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";
import { FIRST_WINDOW } from "./dispatch-queries";

/** An incoming-call or missed-call push to one user, with one event per channel. */
export interface CallPushEvents {
  kind: "CALL" | "MISSED_CALL";
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
      true, ${FIRST_WINDOW.recipient}, ${FIRST_WINDOW.subscription}, $2::timestamptz, $2::timestamptz, g.kind,
      g.call_id
    FROM jsonb_to_recordset($1::text::jsonb) AS g(application_id bigint,
        environment push_environment, message text, selector jsonb, kind text, call_id bigint, channels text[])
      CROSS JOIN LATERAL unnest(g.channels) AS c(channel)
    RETURNING id`,
};

const WITHDRAW_MISSED: Statement = {
  name: "withdraw_missed_call_pushes",
  text: `UPDATE push_events SET withdrawn_at = $3::timestamptz, updated_at = $3::timestamptz, active = false,
      expanded_to = NULL, expanded_sub = NULL, dispatched_at = coalesce(dispatched_at, $3::timestamptz)
    WHERE call_id = ANY(array_append($1::bigint[], 0::bigint)) AND kind = 'MISSED_CALL'
      AND selector -> 'ids' = jsonb_build_array($2::bigint) AND withdrawn_at IS NULL`,
};

/** Withdraws the missed-call pushes to a user for calls: what was not sent is not sent any more. */
export async function withdrawMissedCallPushes(
  query: Store["query"],
  calls: readonly number[],
  userId: number,
  now: Date,
): Promise<void> {
  if (calls.length > 0) await query(WITHDRAW_MISSED, [calls, userId, now]);
}

/** Writes the events of pushes about calls, one per channel. @returns their ids */
export async function insertCallPushes(
  query: Store["query"],
  pushes: readonly CallPushEvents[],
  now: Date,
): Promise<number[]> {
  const rows = pushes.map((push) => ({
    application_id: push.applicationId,
    call_id: push.callId,
    kind: push.kind,
    environment: push.environment,
    message: push.message,
    selector: push.selector,
    channels: push.channels,
  }));
  const events = await query<{ id: number }>(WRITE, [JSON.stringify(rows), now]);
  return events.map(({ id }) => id);
}

const EXPORT: Statement = {
  name: "export_call_pushes",
  // Incoming-call pushes that the user caused, and all that were sent to the user: the others say what the callee did.
  text: `SELECT to_jsonb(e) AS row FROM push_events e WHERE e.call_id = ANY($1::bigint[])
      AND (e.call_id = ANY($2::bigint[]) AND e.kind = 'CALL' OR e.selector -> 'ids' = jsonb_build_array($3::bigint))
    ORDER BY e.id`,
};
const MESSAGES: Statement = {
  name: "messages_of_call_pushes",
  text: "SELECT id, message FROM push_events WHERE call_id = ANY(array_append($1::bigint[], 0::bigint))",
};

const WRITE_MESSAGES: Statement = {
  name: "write_messages_of_call_pushes",
  text: `UPDATE push_events e SET message = g.message
    FROM jsonb_to_recordset($1::text::jsonb) AS g(id bigint, message text) WHERE e.id = g.id`,
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

/** Replaces the messages of the incoming-call pushes of calls. @param change returns the new message, as stored */
export async function changeMessagesOfCalls(
  query: Store["query"],
  calls: readonly number[],
  change: (message: string) => string,
): Promise<void> {
  const rows = await query<{ id: number; message: string }>(MESSAGES, [calls]);
  if (rows.length === 0) return;
  const changed = rows.map(({ id, message }) => ({ id, message: change(message) }));
  await query(WRITE_MESSAGES, [JSON.stringify(changed)]);
}

/** Deletes the incoming-call pushes of calls. */
export async function deletePushesOfCalls(
  query: Store["query"],
  calls: readonly number[],
): Promise<void> {
  await query(DELETE, [calls]);
}
