import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { Store } from "../../store/store";
import type { HostRouter } from "../host/host-router";

/** Dependencies of the functions on conferences. */
export interface ConferenceDeps {
  store: Store;
  clock: Clock;
  config: Config;
  /** False with CONFERENCES=off. */
  enabled: boolean;
  /** Runs commands on the node that hosts a conference. */
  hosts: HostRouter;
}
