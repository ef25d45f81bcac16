import type { JobMonitor } from "../../platform/jobs/jobs";
import type { Store } from "../../platform/store/store";
import type { RequestContext } from "../access/request-context";
import type { HealthMonitor } from "./health-monitor";
import type { NodeRegistry } from "./nodes/node-registry";

/** Dependencies of the functions of this module; one per node. */
export interface HealthDeps {
  store: Store;
  jobs: JobMonitor;
  monitor: HealthMonitor;
  /** This node in the list of nodes. */
  registry: NodeRegistry;
}

/** Context of the resolvers of this module. */
export interface HealthContext extends RequestContext {
  health: HealthDeps;
}
