import { deleteOldCalls, findMissedCalls } from "./call-cleanup-queries";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import { type CallPushJob, sendCallPushes } from "./incoming-call-push";
import { Recorder } from "./recorder";
import { writeExpiry } from "./write-calls";

/**
 * Opens the call history of this node and starts its jobs.
 * @param alone whether this is the only node
 */
export function openCallHistory(deps: HistoryDeps, { alone }: { alone: boolean }): Recorder {
  deps.jobs.work<CallPushJob>(CALL_JOBS.incomingCallPush, (job) => sendCallPushes(deps, job), {
    concurrency: 2,
  });
  deps.jobs.work(CALL_JOBS.missed, () => expireCalls(deps), { everySeconds: EXPIRE_INTERVAL_S });
  deps.jobs.work(CALL_JOBS.purge, () => purgeCalls(deps), { everySeconds: PURGE_INTERVAL_S });
  return new Recorder(deps, alone);
}

/** Interval of the job that applies the ring time-out, in seconds. */
export const EXPIRE_INTERVAL_S = 3;
/** Interval of the job that deletes expired calls, in seconds. */
export const PURGE_INTERVAL_S = 3600;
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
