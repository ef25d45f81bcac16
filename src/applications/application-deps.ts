import type { Clock } from "../core/clock";
import type { Sealer } from "../core/sealer";
import type { Connector } from "../network/connector";
import type { SessionEvents } from "../session-events/session-events";
import type { Store } from "../store/store";

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
