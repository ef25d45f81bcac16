import type { Clock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import type { Store } from "../../../platform/store/store";
import type { SessionEvents } from "../../session-events/session-events";
import type { HostRouter } from "../host/host-router";

/** Dependencies of the functions on conferences. */
export interface ConferenceDeps {
  store: Store;
  clock: Clock;
  config: Config;
  /** Counts conferences that are created. */
  counters: ApplicationCounters;
  /** False with CONFERENCES=off. */
  enabled: boolean;
  /** Runs commands on the node that hosts a conference. */
  hosts: HostRouter;
  /** Tells every node that tokens of guests have ended. */
  sessionEvents: Pick<SessionEvents, "publish">;
}
