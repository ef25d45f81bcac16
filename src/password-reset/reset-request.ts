/**
 * A requested password reset, for a background job. It holds no token: the job creates the token when it
 * sends the mail, so no queue ever holds a link.
 */
export interface ResetRequest {
  applicationId: number;
  /** The requested address in lower case; possibly unknown. */
  emailKey: string;
}
