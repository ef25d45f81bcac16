/** What XMPP is spoken over: text goes out, stanzas come in. */
export interface Wire {
  /** Namespace declaration that a stanza needs here. */
  readonly xmlns: string;
  /** The header of a stream. */
  readonly header: string;
  send(text: string): void;
  /** Called with what has arrived: at least one message whole, or none. */
  onText: (text: string) => void;
  onEnd: (reason: string) => void;
  close(): void;
}

/** Namespace of stanzas. */
export const CLIENT = "jabber:client";
