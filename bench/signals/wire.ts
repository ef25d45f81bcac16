/** The transport of an XMPP stream: sends text and receives stanzas. */
export interface XmppTransport {
  /** Namespace declaration that stanzas need on this transport. */
  readonly xmlns: string;
  /** The stream header. */
  readonly header: string;
  send(text: string): void;
  /** Called with received text, which contains complete messages only. */
  onText: (text: string) => void;
  onEnd: (reason: string) => void;
  close(): void;
}

/** The namespace of stanzas. */
export const CLIENT = "jabber:client";
