import type { Clock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import type { Sealer } from "../../../core/sealer";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import type { Bus } from "../../../platform/bus/bus";
import type { Jobs } from "../../../platform/jobs/jobs";
import type { RateLimits } from "../../../platform/limits/rate-limits";
import type { Connector } from "../../../platform/network/connector";
import type { Store } from "../../../platform/store/store";
import type { RequestContext } from "../../access/request-context";
import type { SessionEvents } from "../../session-events/session-events";
import type { PushEnvironment, PushService } from "../channels/channel";
import type { Provider } from "../providers/port/provider";

/** Dependencies of events, deliveries and devices, one instance per node. */
export interface PushDeps {
  config: Config;
  store: Store;
  bus: Bus;
  jobs: Jobs;
  clock: Clock;
  log: Log;
  /** Opens the secrets of applications. */
  sealer: Sealer;
  limits: RateLimits;
  sessionEvents: SessionEvents;
  /** Whether devices may name addresses in private networks. */
  connector: Connector;
  metrics: Pick<Metrics, "pushDeliveries" | "pushSeconds">;
  /** Counts pushes by outcome. */
  counters: ApplicationCounters;
  /** Returns the open provider for an application's service, or null if no credentials are set. */
  provider(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Provider | null>;
  /** Returns when the credentials that {@link provider} uses were set, or null if none are set. */
  credentialsSetAt(
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Date | null>;
  /**
   * Records whether a push service accepts an application's credentials, unless others have been set since; never throws.
   * @param refusal the reason of a refusal; null if it accepts them
   */
  noteCredentials(
    credentials: {
      applicationId: number;
      environment: PushEnvironment;
      service: PushService;
      /** When they were set, by {@link credentialsSetAt}. */
      updatedAt: Date;
    },
    refusal: string | null,
  ): Promise<void>;
}

/** Context of the resolvers of events, deliveries and devices. */
export interface PushContext extends RequestContext {
  push: PushDeps;
}

/** Job names of the push module. */
export const PUSH_JOBS = {
  /** Fans an event out into deliveries, one window of recipients at a time. */
  fanOut: "push-fan-out",
  /** Sends a batch of deliveries. */
  deliver: "push-deliver",
  /** Starts scheduled dispatches that are due. */
  due: "push-due",
  /** Deletes deliveries past their retention period. */
  purge: "push-purge",
} as const;

/** Options of a fan-out job; a window of recipients takes milliseconds. */
export const FAN_OUT_OPTIONS = { retries: 100, leaseSeconds: 60 } as const;
