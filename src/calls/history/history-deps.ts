import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import type { Identity } from "../../identity/identity";
import type { Jobs } from "../../jobs/jobs";
import type { PushDeps } from "../../push/push-deps";

/** The dependencies of the call history; one per node. */
export interface HistoryDeps {
  identity: Identity;
  jobs: Jobs;
  /** Sends incoming-call pushes. */
  push: PushDeps;
  log: Log;
  metrics: Pick<Metrics, "callRecords">;
}

/** Names of the job queues. */
export const JOBS = {
  /** Sends incoming-call pushes to users who have not answered. */
  incomingCallPush: "call-wake",
  /** Applies the ring time-out. */
  missed: "call-missed",
  /** Deletes expired calls. */
  purge: "call-purge",
} as const;
