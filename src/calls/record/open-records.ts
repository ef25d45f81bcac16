import { Recorder } from "./recorder";
import { JOBS, type Records } from "./records";
import { endWaiting, MISSED_SECONDS, PURGE_SECONDS, purgeCalls } from "./upkeep";
import { type WakeJob, wake } from "./wake";

/**
 * Opens the call history of this node and starts its jobs.
 * @param alone whether this is the only node
 */
export function openRecords(records: Records, { alone }: { alone: boolean }): Recorder {
  records.jobs.work<WakeJob>(JOBS.wake, (job) => wake(records, job), { concurrency: 2 });
  records.jobs.work(JOBS.missed, () => endWaiting(records), { everySeconds: MISSED_SECONDS });
  records.jobs.work(JOBS.purge, () => purgeCalls(records), { everySeconds: PURGE_SECONDS });
  return new Recorder(records, alone);
}
