import type { RequestContext } from "../access/request-context";
import type { Clock } from "../core/clock";
import type { Log } from "../core/log";
import type { Sealer } from "../core/sealer";
import type { RateLimits } from "../limits/rate-limits";
import type { PasswordHasher } from "../passwords/password";
import type { SessionEvents } from "../session-events/session-events";
import type { Store } from "../store/store";

/** A change of a user's e-mail address. */
export interface EmailChange {
  applicationId: number;
  /** The old address, which is notified. */
  email: string;
}

/** Dependencies of the functions of this module. */
export interface UserDeps {
  store: Store;
  clock: Clock;
  log: Log;
  /** Opens the secrets of applications. */
  sealer: Sealer;
  limits: RateLimits;
  passwordHasher: PasswordHasher;
  /** Notifies all nodes of changed and deleted users. */
  sessionEvents: SessionEvents;
  /**
   * Enqueues a durable job that notifies an old e-mail address of its change; null if no mail is configured.
   * Throws Fault UNAVAILABLE.
   */
  deliverEmailChange: ((change: EmailChange) => Promise<void>) | null;
}

/** Context of the resolvers of this module. */
export interface UserContext extends RequestContext {
  users: UserDeps;
}
