import { Fault } from "../../../core/errors";
import { isDeadlock } from "../../../platform/store/database-errors";
import { findCallPushSettings } from "../../applications/application-queries";
import type { PushEnvironment } from "../../push/channels/channel";
import { PUSH_JOBS } from "../../push/deps/push-deps";
import { channelsOfUsers } from "../../push/devices/recipient-count";
import {
  CALL_PUSH_ROUTING,
  type CallPush,
  type CallPushContent,
  validateCallPush,
  writeCallPushes,
} from "../../push/events/call-push";
import type { User } from "../../users/user";
import { findUsersById } from "../../users/user-queries";
import type { Invitation } from "./call-event";
import { describeCall, mayPush, withCaller } from "./call-push-content";
import type { HistoryDeps } from "./history-deps";
import { claimCallPushes, findRingingCalls, type RingingRow } from "./ringing-call-queries";

/** An incoming-call push to one user. */
export interface PendingCallPush extends Invitation {
  callId: number;
  userId: number;
}

/** Data of the job that sends incoming-call pushes. */
export interface CallPushJob {
  pushes: PendingCallPush[];
}

/**
 * Sends incoming-call pushes to users whose call is still ringing, who have a push subscription and were not
 * sent one for this call, even if several jobs run concurrently. One transaction writes the pushes and claims
 * them; what needs no transaction, above all the callers' rate limit, is done before it.
 */
export async function sendCallPushes(
  deps: HistoryDeps,
  { pushes: pending }: CallPushJob,
): Promise<void> {
  const { log } = deps;
  const now = deps.clock.now();
  const requested = new Map(pending.map((each) => [keyOf(each.callId, each.userId), each]));
  const ringing = await readRinging(deps, pending, now);
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
          kind: "CALL" as const,
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
  pushes: readonly PendingCallPush[],
  now: number,
): Promise<CallToPush[]> {
  const rows = await findRingingCalls(deps.store.query, pushes, new Date(now));
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
    return environment && caller ? [{ ...row, environment, caller }] : [];
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
      const rows = await claimCallPushes(transaction.query, pushes, new Date(now));
      const claimed = new Set(rows.map(({ callId, userId }) => keyOf(callId, userId)));
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

const keyOf = (callId: number, userId: number) => `${callId} ${userId}`;

/** A call that is ringing for a user, with its caller and the builds that its push is for. */
interface CallToPush extends RingingRow {
  caller: Pick<User, "fullName" | "avatar">;
  environment: PushEnvironment;
}

/** Builds the payload of an incoming-call push (docs/PUSH.md "Calls"). */
function incomingCallPayload(row: CallToPush, invitation: Invitation): CallPushContent {
  const { opponentIds, userInfo } = invitation;
  const call = {
    ...describeCall(row, row.caller),
    opponentIds: opponentIds.map(String),
    userInfo,
    expiresAt: row.missed_at.toISOString(),
    type: "RING",
  };
  return {
    text: withCaller("Incoming call", call.callerName),
    // Rounded up, since the platforms count in seconds.
    expiration: Math.ceil(row.missed_at.getTime() / 1000),
    custom: { call },
  };
}
