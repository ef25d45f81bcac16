import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import type { Identity } from "../../identity/identity";
import type { Jobs } from "../../jobs/jobs";
import type { Push } from "../../push/push";

/** What the records of calls stand on; one per node. */
export interface Records {
  identity: Identity;
  jobs: Jobs;
  /** The room that wakes phones. */
  push: Push;
  log: Log;
  metrics: Pick<Metrics, "callRecords">;
}

/** Names of the jobs. */
export const JOBS = {
  /** Wakes the devices of users who do not answer. */
  wake: "call-wake",
  /** Ends the waiting for users who were rung for a minute. */
  missed: "call-missed",
  /** Deletes records that are no longer kept. */
  purge: "call-purge",
} as const;
