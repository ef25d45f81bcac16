import { EXPIRE_INTERVAL_S, expireCalls, PURGE_INTERVAL_S, purgeCalls } from "./cleanup";
import { type HistoryDeps, JOBS } from "./history-deps";
import { type CallPushJob, sendCallPushes } from "./incoming-call-push";
import { Recorder } from "./recorder";

/**
 * Opens the call history of this node and starts its jobs.
 * @param alone whether this is the only node
 */
export function openCallHistory(deps: HistoryDeps, { alone }: { alone: boolean }): Recorder {
  deps.jobs.work<CallPushJob>(JOBS.incomingCallPush, (job) => sendCallPushes(deps, job), {
    concurrency: 2,
  });
  deps.jobs.work(JOBS.missed, () => expireCalls(deps), { everySeconds: EXPIRE_INTERVAL_S });
  deps.jobs.work(JOBS.purge, () => purgeCalls(deps), { everySeconds: PURGE_INTERVAL_S });
  return new Recorder(deps, alone);
}
