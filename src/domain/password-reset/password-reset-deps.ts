import type { RequestContext } from "../access/request-context";
import type { UserDeps } from "../users/user-deps";

/**
 * A requested password reset, for a background job. It holds no token: the job creates the token when it
 * sends the mail, so no queue ever holds a link. Nor does it hold the address, which goes with its user.
 */
export interface ResetRequest {
  applicationId: number;
  /** The user of the requested address; null if nobody has it. */
  userId: number | null;
}

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
