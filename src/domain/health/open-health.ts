import type { Clock } from "../../core/clock";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import type { JobMonitor } from "../../platform/jobs/jobs";
import type { Store } from "../../platform/store/store";
import type { HealthDeps } from "./health-deps";
import { HealthMonitor } from "./health-monitor";
import { NodeRegistry } from "./nodes/node-registry";

/** Options of {@link openHealth}. */
export interface HealthOptions {
  config: Config;
  store: Store;
  clock: Clock;
  log: Log;
  jobs: JobMonitor;
  metrics: Pick<Metrics, "sockets">;
  /** Identifier of this node. */
  nodeId: string;
  /** Whether this is the only node of the deployment. */
  singleNode: boolean;
  /** A proxy of this node that TRUST_PROXY does not name. */
  untrustedProxy: { readonly address: string | null };
}

/** Enters this node into the list of nodes, and opens the checks of the deployment. */
export async function openHealth(options: HealthOptions): Promise<HealthDeps> {
  const { config, store, clock, log, jobs, metrics, nodeId, singleNode, untrustedProxy } = options;
  const countSockets = async () =>
    (await metrics.sockets.get()).values.reduce((sum, { value }) => sum + value, 0);
  const registry = await NodeRegistry.open({
    id: nodeId,
    store,
    clock,
    log,
    alone: singleNode,
    port: config.PORT,
    countSockets,
    untrustedProxy,
  });
  const monitor = new HealthMonitor({ config, store, clock, jobs, nodeId });
  return { store, jobs, monitor, registry };
}
