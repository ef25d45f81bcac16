/** A mail to one recipient. Its content is never logged. */
export interface Mail {
  /** The address, without a display name. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mail; implemented by smtp.ts and folder.ts. */
export interface Mailer {
  /** Whether mails are sent, or written to files for evaluation. */
  readonly kind: "smtp" | "folder";

  /**
   * Sends a mail; resolves once the server has accepted it.
   * @throws MailRejectedError if the mail is rejected permanently, MailError if a retry may succeed
   */
  send(mail: Mail): Promise<void>;

  /** Health check: whether mail can be sent now. @throws MailError */
  check(): Promise<void>;

  /** Closes all connections. */
  close(): Promise<void>;
}

/** A mail could not be sent; a retry may succeed. The message contains codes but no address. */
export class MailError extends Error {
  override readonly name: string = "MailError";
}

/** The server rejected a mail permanently. */
export class MailRejectedError extends MailError {
  override readonly name = "MailRejectedError";
}
