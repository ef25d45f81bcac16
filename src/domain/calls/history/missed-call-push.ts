import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import { findMissedCallSettings } from "../../applications/application-queries";
import { PUSH_JOBS } from "../../push/deps/push-deps";
import { channelsOfUsers } from "../../push/devices/recipient-count";
import {
  type CallPush,
  type CallPushContent,
  validateCallPush,
  writeCallPushes,
} from "../../push/events/call-push";
import { withdrawMissedCallPushes } from "../../push/events/call-push-queries";
import type { User } from "../../users/user";
import { findCallsSeen, writeCallsSeen } from "../../users/user-activity-queries";
import { findUsersById } from "../../users/user-queries";
import { describeCall, mayPush, withCaller } from "./call-push-content";
import { type DerivedState, MARGIN_MS, ringEndOf } from "./call-states";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import {
  claimMissedCallPushes,
  countMissedCalls,
  findCallsWithMissedPush,
  findMissedCallees,
  type MissedRow,
} from "./missed-call-queries";
import type { RecordedCall } from "./recorded-calls";
import type { CalleeKey } from "./ringing-call-queries";

/** Data of the job that sends missed-call pushes. */
export interface MissedCallJob {
  callees: CalleeKey[];
}

/** Maximum number of users in one job. */
const JOB_USERS_MAX = 20;
/** After which time a call counts as missed, in seconds: an answer may be recorded after a hang-up, by another node. */
const SETTLED_SECONDS = MARGIN_MS / 1000;
/** How long push services keep a missed-call push, in seconds: a day. */
const KEPT_SECONDS = 86_400;

/**
 * Enqueues the pushes to users who neither answered nor declined a call, in applications that send them.
 * @param states the states of the calls that changed
 */
export async function enqueueMissedCallPushes(
  transaction: Transaction,
  enqueue: EnqueueIn,
  states: ReadonlyMap<RecordedCall, DerivedState>,
): Promise<void> {
  const missed = [...states].flatMap(([call, { callees }]) =>
    call.callerId === null
      ? []
      : [...call.callees.values()]
          .filter((callee) => {
            const state = callees.get(callee.userId)?.state ?? "ringing";
            if (state !== "missed" && state !== "hung_up") return false;
            const { reason } = ringEndOf(callee, state);
            return callee.leftAt === null && (reason === "CANCELLED" || reason === "MISSED");
          })
          .map(({ userId }) => ({ call, userId })),
  );
  if (missed.length === 0) return;
  const settings = await findMissedCallSettings(
    transaction,
    missed.map(({ call }) => call.applicationId),
  );
  const callees = missed
    .filter(({ call }) => settings.has(call.applicationId))
    .map(({ call, userId }) => ({ callId: call.id, userId }));
  const jobs: MissedCallJob[] = [];
  while (callees.length > 0) jobs.push({ callees: callees.splice(0, JOB_USERS_MAX) });
  if (jobs.length === 0) return;
  await enqueue(transaction, CALL_JOBS.missedCallPush, jobs, { afterSeconds: SETTLED_SECONDS });
}

/**
 * Sends missed-call pushes to all devices of users who have not seen the call in their lists, once for each call. The
 * pushes count against the callers' rate limit; one beyond it is not sent.
 */
export async function sendMissedCallPushes(
  deps: HistoryDeps,
  { callees }: MissedCallJob,
): Promise<void> {
  const { store, push, metrics } = deps;
  const now = deps.clock.now();
  const pushes = await readPushes(deps, await findMissedCallees(store.query, callees), now);
  if (pushes.length === 0) return;
  const enqueue = await push.jobs.openQueues(PUSH_JOBS.fanOut);
  const count = await store.transaction(async (transaction) => {
    const claimed = await claimMissedCallPushes(transaction.query, pushes, new Date(now));
    const keys = new Set(claimed.map(keyOf));
    const own = pushes.filter((each) => keys.has(keyOf(each)));
    if (own.length > 0) await writeCallPushes(transaction, enqueue, own, now);
    return own.length;
  });
  metrics.missedCallPushes.inc(count);
}

async function readPushes(
  deps: HistoryDeps,
  rows: readonly MissedRow[],
  now: number,
): Promise<CallPush[]> {
  if (rows.length === 0) return [];
  const { store } = deps;
  const settings = await findMissedCallSettings(
    store,
    rows.map(({ application_id: id }) => id),
  );
  const userIds = [...new Set(rows.map(({ user_id: id }) => id))];
  const seen = await findCallsSeen(store, userIds);
  const since = (userId: number) => seen.get(userId) ?? new Date(0);
  const unseen = rows.flatMap((row) => {
    const own = settings.get(row.application_id);
    return own && row.started_at > since(row.user_id) ? [{ row, ...own }] : [];
  });
  if (unseen.length === 0) return [];
  const reached = await channelsOfUsers(
    store,
    unseen.map(({ row, environment }) => ({ userId: row.user_id, environment })),
    { voip: false },
  );
  const counts = await countMissedCalls(
    store.query,
    userIds.map((userId) => ({ userId, since: since(userId) })),
  );
  const callers = await findUsersById(
    deps,
    rows.map(({ caller_id: id }) => id),
  );
  const pushes = unseen.map(async ({ row, environment, badge }): Promise<CallPush[]> => {
    const channels = reached.get(row.user_id);
    const caller = callers.get(row.caller_id);
    // A block ends the ringing calls of the blocked user; their callees need not hear of them.
    if (!channels || !caller || caller.blockedAt !== null || !(await mayPush(deps, row.caller_id)))
      return [];
    const request = {
      kind: "MISSED_CALL" as const,
      applicationId: row.application_id,
      environment,
      channels,
      callId: row.call_id,
      userId: row.user_id,
      content: missedCallPayload(row, caller, counts.get(row.user_id) ?? 1, { badge, now }),
    };
    return [validateCallPush(request, now)];
  });
  return (await Promise.all(pushes)).flat();
}

/** Builds the payload of a missed-call push (docs/PUSH.md "Missed calls"). */
function missedCallPayload(
  row: MissedRow,
  caller: User,
  missedCount: number,
  { badge, now }: { badge: boolean; now: number },
): CallPushContent {
  const call = { ...describeCall(row, caller), type: "MISSED", missedCount };
  return {
    text: withCaller("Missed call", call.callerName),
    expiration: Math.ceil(now / 1000) + KEPT_SECONDS,
    ...(badge && { badge: missedCount }),
    custom: { call },
  };
}

/**
 * Notes that a user has seen the list of calls: missed calls are counted from now on, and the pushes of earlier ones that
 * were not sent are not sent any more.
 * @returns when
 * @throws Fault UNAVAILABLE when the database cannot be reached
 */
export async function markCallsSeen(deps: HistoryDeps, userId: number): Promise<Date> {
  const at = new Date(deps.clock.now());
  await deps.store.transaction(async ({ query }) => {
    await writeCallsSeen({ query }, userId, at);
    const calls = await findCallsWithMissedPush(query, userId);
    await withdrawMissedCallPushes(query, calls, userId, at);
  });
  return at;
}

const keyOf = ({ callId, userId }: CalleeKey) => `${callId} ${userId}`;
