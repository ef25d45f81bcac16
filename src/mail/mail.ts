/** One mail to one address. Nothing of it is ever logged. */
export interface Mail {
  /** A bare address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The port of mail: how this node sends it. Held by smtp.ts and folder.ts. */
export interface Mailer {
  /**
   * Hands a mail over; resolves once the other side has it.
   * @throws MailRefused when it will never take it, MailError when trying again may help
   */
  send(mail: Mail): Promise<void>;

  /** For diagnostics: whether mail could be handed over now. @throws MailError */
  check(): Promise<void>;

  /** Lets go of connections. */
  close(): Promise<void>;
}

/** A mail could not be handed over this time. Its message names codes alone, no address. */
export class MailError extends Error {
  override readonly name: string = "MailError";
}

/** A mail that will not be taken, however often it is offered. */
export class MailRefused extends MailError {
  override readonly name = "MailRefused";
}
