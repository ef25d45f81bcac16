import { inboxOf } from "../inbox/bus-keys";
import {
  type AcceptedCallRow,
  deleteOldCalls,
  findAcceptedCalls,
  findMissedCalls,
  markUnreachable,
} from "./call-cleanup-queries";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import { type CallPushJob, sendCallPushes } from "./incoming-call-push";
import { type MissedCallJob, sendMissedCallPushes } from "./missed-call-push";
import { Recorder } from "./recorder";
import { writeExpiry, writeLost } from "./write-calls";

/**
 * Opens the call history of this node and starts its jobs.
 * @param alone whether this is the only node
 */
export function openCallHistory(deps: HistoryDeps, { alone }: { alone: boolean }): Recorder {
  deps.jobs.work<CallPushJob>(CALL_JOBS.incomingCallPush, (job) => sendCallPushes(deps, job), {
    concurrency: 2,
  });
  deps.jobs.work<MissedCallJob>(
    CALL_JOBS.missedCallPush,
    (job) => sendMissedCallPushes(deps, job),
    { concurrency: 2 },
  );
  deps.jobs.work(CALL_JOBS.missed, () => expireCalls(deps), { everySeconds: EXPIRE_INTERVAL_S });
  // Devices at an attached chat server have no connection to this service.
  if (deps.config.CHAT_MODE !== "component") {
    const openedAt = deps.clock.now();
    deps.jobs.work(CALL_JOBS.lost, () => endLostCalls(deps, openedAt), {
      everySeconds: LOST_INTERVAL_S,
    });
  }
  deps.jobs.work(CALL_JOBS.purge, () => purgeCalls(deps), { everySeconds: PURGE_INTERVAL_S });
  return new Recorder(deps, alone);
}

/** Interval of the job that applies the ring time-out, in seconds. */
export const EXPIRE_INTERVAL_S = 3;
/** Interval of the job that deletes expired calls, in seconds. */
export const PURGE_INTERVAL_S = 3600;
/** How long no device in an accepted call may be connected before the call is lost, in milliseconds. */
const LOST_MS = 120_000;
/** Interval of the check for lost calls, in seconds. */
const LOST_INTERVAL_S = 15;
const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

/** Applies the ring time-out to all calls that have rung for a minute. */
export async function expireCalls(deps: HistoryDeps): Promise<void> {
  const { store, clock } = deps;
  for (;;) {
    const due = await findMissedCalls(store.query, new Date(clock.now()), BATCH);
    const ids = [...new Set(due)].sort((a, b) => a - b);
    if (ids.length > 0) await writeExpiry(deps, ids);
    if (due.length < BATCH) return;
  }
}

/**
 * Ends the accepted calls in which no device of any party has been connected for {@link LOST_MS}. What a check finds is
 * stored with the call, so that any node may run the next one. The time before this node has started does not count:
 * the clients of a service that was down need some seconds to connect again.
 * @param openedAt when this node has started, in milliseconds since the Unix epoch
 * @throws Fault UNAVAILABLE when the database or the bus cannot be reached
 */
export async function endLostCalls(deps: HistoryDeps, openedAt: number): Promise<void> {
  for (let after = 0; ; ) {
    const calls = await findAcceptedCalls(deps.store.query, after, BATCH);
    await checkCalls(deps, calls, openedAt);
    const last = calls.at(-1);
    if (calls.length < BATCH || !last) return;
    after = last.id;
  }
}

async function checkCalls(
  deps: HistoryDeps,
  calls: readonly AcceptedCallRow[],
  openedAt: number,
): Promise<void> {
  const { store, bus, clock } = deps;
  const inboxes = [...new Set(calls.flatMap(inboxesOf))];
  const haveSubscribers = await bus.haveSubscribers(inboxes);
  const connected = new Set(inboxes.filter((_, index) => haveSubscribers[index]));
  const now = clock.now();
  const reached: number[] = [];
  const left: number[] = [];
  const lost: number[] = [];
  const before = now - LOST_MS;
  for (const call of calls) {
    const since = call.unreachable_since?.getTime() ?? null;
    if (inboxesOf(call).some((inbox) => connected.has(inbox))) {
      if (since !== null) reached.push(call.id);
    } else if (since === null) left.push(call.id);
    else if (since <= before) lost.push(call.id);
  }
  await markUnreachable(store.query, reached, null);
  await markUnreachable(store.query, left, new Date(now));
  if (lost.length > 0 && openedAt <= before) await writeLost(deps, lost, before);
}

const inboxesOf = ({ application_id: applicationId, user_ids: userIds }: AcceptedCallRow) =>
  userIds.map((userId) => inboxOf({ applicationId, userId }));

/**
 * Deletes the calls that started more than CALL_RETENTION_DAYS ago, with their incoming-call pushes. Idempotent;
 * may be interrupted and run concurrently.
 */
export async function purgeCalls(
  deps: Pick<HistoryDeps, "store" | "clock" | "config">,
): Promise<void> {
  const { store, clock, config } = deps;
  const before = new Date(clock.now() - config.CALL_RETENTION_DAYS * DAY_MS);
  for (;;) {
    if ((await deleteOldCalls(store.query, before, BATCH)) < BATCH) return;
  }
}
