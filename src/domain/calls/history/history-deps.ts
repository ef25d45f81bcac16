import type { Clock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import type { Bus } from "../../../platform/bus/bus";
import type { Jobs } from "../../../platform/jobs/jobs";
import type { RateLimits } from "../../../platform/limits/rate-limits";
import type { Store } from "../../../platform/store/store";
import type { RequestContext } from "../../access/request-context";
import type { PushDeps } from "../../push/deps/push-deps";

/** The dependencies of the call history; one per node. */
export interface HistoryDeps {
  config: Config;
  store: Store;
  bus: Bus;
  clock: Clock;
  limits: RateLimits;
  jobs: Jobs;
  /** Sends incoming-call pushes. */
  push: PushDeps;
  log: Log;
  metrics: Pick<Metrics, "callRecords" | "incomingCallPushes" | "missedCallPushes">;
  /** Counts calls that start. */
  counters: ApplicationCounters;
}

/** Context of the resolvers of this module. */
export interface HistoryContext extends RequestContext {
  callHistory: HistoryDeps;
}

/** Names of the job queues. */
export const CALL_JOBS = {
  /** Sends incoming-call pushes to users who have not answered. */
  incomingCallPush: "call-push",
  /** Sends missed-call pushes. */
  missedCallPush: "missed-call-push",
  /** Applies the ring time-out. */
  missed: "call-missed",
  /** Ends accepted calls in which no device is connected any more. */
  lost: "call-lost",
  /** Deletes expired calls. */
  purge: "call-purge",
} as const;
