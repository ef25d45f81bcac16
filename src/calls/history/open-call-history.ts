import { EXPIRE_INTERVAL_S, expireCalls, PURGE_INTERVAL_S, purgeCalls } from "./cleanup";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import { type CallPushJob, sendCallPushes } from "./incoming-call-push";
import { Recorder } from "./recorder";

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
