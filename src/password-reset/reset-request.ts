/**
 * A requested password reset, for a background job. It holds no token: the job creates the token when it
 * sends the mail, so no queue ever holds a link.
 */
export interface ResetRequest {
  applicationId: number;
  /** The requested address in lower case; possibly unknown. */
  emailKey: string;
}

/** Enqueues a durable job for the request. @throws Fault UNAVAILABLE */
export type DeliverReset = (request: ResetRequest) => Promise<void>;

/** A change of a user's e-mail address. */
export interface EmailChange {
  applicationId: number;
  /** The old address, which is notified. */
  email: string;
}

/** Enqueues a durable job for the change. @throws Fault UNAVAILABLE */
export type DeliverEmailChange = (change: EmailChange) => Promise<void>;
