import type { RequestContext } from "../access/request-context";
import type { UserDeps } from "../users/user-deps";
import type { ResetRequest } from "./reset-request";

/** Dependencies of the functions of this module. */
export interface PasswordResetDeps extends UserDeps {
  /** Public URL of this deployment, known once the server listens. */
  endpoints: { api(): string };
  /**
   * Enqueues a durable job that mails a reset link; null if no mail is configured. Throws Fault UNAVAILABLE.
   */
  deliverReset: ((request: ResetRequest) => Promise<void>) | null;
}

/** Context of the resolvers of this module. */
export interface PasswordResetContext extends RequestContext {
  passwordReset: PasswordResetDeps;
}
