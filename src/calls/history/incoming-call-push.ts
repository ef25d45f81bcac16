import { findCallPushSettings } from "../../applications/call-push-settings";
import { Fault } from "../../core/errors";
import { PUSH_JOBS } from "../../push/deps/push-deps";
import {
  CALL_PUSH_ROUTING,
  type CallPush,
  validateCallPush,
  writeCallPushes,
} from "../../push/events/call-push";
import { channelsOfUsers } from "../../push/events/recipient-count";
import { isDeadlock } from "../../store/database-errors";
import type { Statement } from "../../store/store";
import { findUsersById } from "../../users/find-user";
import type { Invitation } from "./call-event";
import type { HistoryDeps } from "./history-deps";
import { type CallToPush, incomingCallPayload, type RingingRow } from "./incoming-call-payload";

/** An incoming-call push to one user. */
export interface PendingCallPush extends Invitation {
  callId: number;
  userId: number;
}

/** Data of the job that sends incoming-call pushes. The member name is the stored format. */
export interface CallPushJob {
  wakes: PendingCallPush[];
}

const RINGING: Statement = {
  name: "ringing_for_pushes",
  text: `SELECT p.call_id, p.user_id, p.missed_at, c.application_id, c.session_id, c.call_type,
      c.caller_id
    FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
      JOIN call_participants p ON p.call_id = g.call_id AND p.user_id = g.user_id
      JOIN calls c ON c.id = g.call_id AND c.caller_id IS NOT NULL
    WHERE p.woken_at IS NULL AND p.state = 'ringing' AND p.missed_at > $2::timestamptz`,
};

/**
 * Claims each push once, and only while the call is ringing for the user. The calls are locked in the same
 * order as when events are written, to avoid deadlocks.
 */
const CLAIM: Statement = {
  name: "claim_call_pushes",
  text: `WITH held AS MATERIALIZED (
      SELECT c.id FROM calls c WHERE c.id = ANY(ARRAY(
        SELECT g.call_id FROM jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint)))
      ORDER BY c.id FOR NO KEY UPDATE)
    UPDATE call_participants p SET woken_at = $2::timestamptz
    FROM held h JOIN jsonb_to_recordset($1::text::jsonb) AS g(call_id bigint, user_id bigint)
      ON g.call_id = h.id
    WHERE p.call_id = g.call_id AND p.user_id = g.user_id AND p.woken_at IS NULL
      AND p.state = 'ringing' AND p.missed_at > $2::timestamptz
    RETURNING p.call_id, p.user_id`,
};

/**
 * Sends incoming-call pushes to users whose call is still ringing, who have a push subscription and were not
 * sent one for this call, even if several jobs run concurrently. One transaction writes the pushes and claims
 * them; what needs no transaction, above all the callers' rate limit, is done before it.
 */
export async function sendCallPushes(deps: HistoryDeps, { wakes }: CallPushJob): Promise<void> {
  const { log } = deps;
  const now = deps.clock.now();
  const requested = new Map(wakes.map((each) => [keyOf(each.callId, each.userId), each]));
  const ringing = await readRinging(deps, wakes, now);
  if (ringing.length === 0) return;
  const users = ringing.map((row) => ({ userId: row.user_id, environment: row.environment }));
  const reached = await channelsOfUsers(deps.store, users, CALL_PUSH_ROUTING);
  const pushes = await Promise.all(
    ringing.map(async (row): Promise<CallPush[]> => {
      const invitation = requested.get(keyOf(row.call_id, row.user_id));
      const channels = reached.get(row.user_id);
      if (!invitation || !channels || !(await mayPush(deps, row.caller_id))) return [];
      try {
        const request = {
          applicationId: row.application_id,
          environment: row.environment,
          channels,
          callId: row.call_id,
          userId: row.user_id,
          content: incomingCallPayload(row, invitation),
        };
        return [validateCallPush(request, now)];
      } catch (error) {
        log.error({ err: error, call: row.call_id }, "failed to build an incoming-call push");
        return [];
      }
    }),
  );
  await write(deps, pushes.flat(), now);
}

/** Reads which of these pushes are still for a ringing call, in an application that sends such pushes. */
async function readRinging(
  deps: HistoryDeps,
  wakes: readonly PendingCallPush[],
  now: number,
): Promise<CallToPush[]> {
  const rows = await deps.store.query<RingingRow>(RINGING, [keysOf(wakes), new Date(now)]);
  if (rows.length === 0) return [];
  const settings = await findCallPushSettings(
    deps.store,
    rows.map(({ application_id: id }) => id),
  );
  const callers = await findUsersById(
    deps,
    rows.map(({ caller_id: id }) => id),
  );
  return rows.flatMap((row) => {
    const environment = settings.get(row.application_id)?.environment;
    const caller = callers.get(row.caller_id);
    return environment && caller ? [{ ...row, environment, full_name: caller.fullName }] : [];
  });
}

/**
 * Writes pushes. If the database rejects one, they are written one by one, so that only rejected ones are
 * lost.
 */
async function write(deps: HistoryDeps, pushes: CallPush[], now: number): Promise<void> {
  if (pushes.length === 0) return;
  const { push, log, metrics } = deps;
  try {
    const enqueue = await push.jobs.openQueues(PUSH_JOBS.fanOut);
    const count = await deps.store.transaction(async (transaction) => {
      const rows = await transaction.query<Pick<RingingRow, "call_id" | "user_id">>(CLAIM, [
        keysOf(pushes),
        new Date(now),
      ]);
      const claimed = new Set(rows.map((row) => keyOf(row.call_id, row.user_id)));
      const own = pushes.filter(({ callId, userId }) => claimed.has(keyOf(callId, userId)));
      if (own.length > 0) await writeCallPushes(transaction, enqueue, own, now);
      return own.length;
    });
    metrics.incomingCallPushes.inc(count);
  } catch (error) {
    // The transaction was rolled back, and the job is retried.
    if (isDeadlock(error) || (error instanceof Fault && error.code === "UNAVAILABLE")) throw error;
    if (pushes.length === 1) {
      log.error({ err: error, call: pushes[0]?.callId }, "failed to write an incoming-call push");
      return;
    }
    for (const each of pushes) await write(deps, [each], now);
  }
}

/** Counts a push against the caller's rate limit. If it is refused, a repeat of the call tries again. */
async function mayPush({ limits, log }: HistoryDeps, callerId: number): Promise<boolean> {
  try {
    await limits.countPush(callerId);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "LIMITED") throw error;
    log.info(
      { user: callerId, code: error.code },
      "no incoming-call push: the caller's rate limit is exceeded",
    );
    return false;
  }
}

const keyOf = (callId: number, userId: number) => `${callId} ${userId}`;

function keysOf(list: ReadonlyArray<{ callId: number; userId: number }>): string {
  return JSON.stringify(list.map(({ callId, userId }) => ({ call_id: callId, user_id: userId })));
}
