import type { Clock } from "../../core/clock";
import type { Sealer } from "../../core/sealer";
import type { Connector } from "../../platform/network/connector";
import type { Store } from "../../platform/store/store";
import type { RequestContext } from "../access/request-context";
import type { SessionEvents } from "../session-events/session-events";

/** What reading applications takes. */
export type ApplicationReader = Pick<ApplicationDeps, "store" | "clock" | "sealer">;

/** Dependencies of the functions of this module. */
export interface ApplicationDeps {
  store: Store;
  clock: Clock;
  /** Encrypts the secrets in the database. */
  sealer: Sealer;
  /** Whether owners may name addresses in private networks. */
  connector: Connector;
  /** Notifies all nodes of changed applications. */
  sessionEvents: SessionEvents;
}

/** An application whose deletion has begun. */
export interface ApplicationDeletion {
  accountId: number;
  applicationId: number;
}

/** What the deletion of an application takes. */
export interface DeletionDeps extends Pick<ApplicationDeps, "store" | "sessionEvents"> {
  /** Deletes all users of an application with their data, and ends their connections. */
  deleteUsers(
    deps: Pick<ApplicationDeps, "store" | "sessionEvents">,
    applicationId: number,
  ): Promise<void>;
  /** Enqueues a durable job that completes the deletion of an application. Throws Fault UNAVAILABLE. */
  enqueueDeletion(deletion: ApplicationDeletion): Promise<void>;
}

/** Dependencies of the functions of this module that run for members of accounts. */
export type ApplicationService = ApplicationDeps & DeletionDeps;

/** Context of the resolvers of this module. */
export interface ApplicationContext extends RequestContext {
  applications: ApplicationService;
}
