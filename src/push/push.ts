import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import type { Identity } from "../identity/identity";
import type { Jobs } from "../jobs/jobs";
import type { PushEnvironment, PushService } from "./channel";
import type { PushCredentialRoom } from "./credential/push-credentials";
import type { Provider } from "./provider/provider";

/** What the functions of this room stand on; one per node. */
export interface Push {
  identity: Identity;
  jobs: Jobs;
  log: Log;
  /** What applications prove themselves with. */
  credentials: PushCredentialRoom;
  metrics: Pick<Metrics, "pushDeliveries" | "pushSeconds">;
  /** The open provider of an application's service; null while it has no credentials. */
  provider(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Provider | null>;
}

/** Names of the room's jobs. */
export const JOBS = {
  /** Writes the deliveries of an event, window by window. */
  expand: "push-expand",
  /** Sends a batch of deliveries. */
  deliver: "push-deliver",
  /** Begins what is due of schedules. */
  due: "push-due",
  /** Deletes deliveries that are no longer kept. */
  purge: "push-purge",
} as const;
