import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import type { Identity } from "../identity/identity";
import type { Jobs } from "../jobs/jobs";
import type { PushEnvironment, PushService } from "./channels/channel";
import type { PushCredentialService } from "./credentials/push-credentials";
import type { Provider } from "./providers/port/provider";

/** Dependencies of the push module, one instance per node. */
export interface PushDeps {
  identity: Identity;
  jobs: Jobs;
  log: Log;
  /** Credentials of applications for push services. */
  credentials: PushCredentialService;
  metrics: Pick<Metrics, "pushDeliveries" | "pushSeconds">;
  /** Returns the open provider for an application's service, or null if no credentials are set. */
  provider(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Provider | null>;
}

/** Job names of the push module. */
export const JOBS = {
  /** Fans an event out into deliveries, one window of recipients at a time. */
  fanOut: "push-expand",
  /** Sends a batch of deliveries. */
  deliver: "push-deliver",
  /** Starts scheduled dispatches that are due. */
  due: "push-due",
  /** Deletes deliveries past their retention period. */
  purge: "push-purge",
} as const;
