import type { RequestContext } from "../access/request-context";
import type { Clock } from "../core/clock";
import type { RateLimits } from "../limits/rate-limits";
import type { PasswordHasher } from "../passwords/password";
import type { Store } from "../store/store";

/** Dependencies of the functions of this module. */
export interface AccountDeps {
  store: Store;
  clock: Clock;
  limits: RateLimits;
  passwordHasher: PasswordHasher;
  /** Public addresses of this deployment; the API's is known once the server listens. */
  endpoints: { api(): string; chat: string; turn: string };
}

/** Context of the resolvers of this module. */
export interface AccountContext extends RequestContext {
  accounts: AccountDeps;
}
