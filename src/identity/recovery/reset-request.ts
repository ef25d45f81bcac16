/**
 * A reset that somebody asked for, to be looked at behind the answer. It holds no token: one is made
 * when the mail is sent, so that no queue ever holds a link.
 */
export interface ResetRequest {
  applicationId: number;
  /** The address asked for, in lower case; whether it is anybody's is not known yet. */
  emailKey: string;
}

/** Puts a request on the list of durable jobs. @throws Fault UNAVAILABLE */
export type DeliverReset = (request: ResetRequest) => Promise<void>;

/** An e-mail address that a user no longer has. */
export interface EmailChange {
  applicationId: number;
  /** The old address, which is told. */
  email: string;
}

/** Puts a change on the list of durable jobs. @throws Fault UNAVAILABLE */
export type DeliverEmailChange = (change: EmailChange) => Promise<void>;
