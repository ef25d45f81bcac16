import type { Element } from "ltx";

/** How a stream begins and ends on a transport (RFC 7395 section 3.3, RFC 6120 section 4.2). */
export interface Framing {
  isOpen(element: Element): boolean;
  isClose(element: Element): boolean;
  /** The header that answers the client's. */
  open(domain: string, id: string): string;
  /** The end of the stream. */
  close: string;
}

/** What carries one stream. */
export interface Transport {
  /** Address of the client; null where a proxy that says nothing of it stands in front. */
  readonly ip: string | null;
  /** The web page's origin, where a browser named one. */
  readonly origin: string | undefined;
  /** Whether a password may cross it: encrypted, or not beyond this machine. */
  readonly trusted: boolean;
  /** Is called once the client has signed in. */
  readonly admitted: () => void;
  /** Goes on inside TLS, forgetting what has arrived; absent where that cannot be done (any more). */
  readonly startTls?: (() => void) | undefined;
  readonly framing: Framing;
  /** Expects a new header right behind the element that was read last. */
  restart(): void;
  /** Writes one element; must not throw. */
  write(xml: string): void;
  /** Bytes written that the client has not taken yet. */
  backlog(): number;
  /** Stops reading, and reads again. */
  hold(): void;
  release(): void;
  /** Asks the client for a sign of life by the transport's own means. */
  probe(): void;
  /** Ends in order, after what was written. */
  end(): void;
  /** Ends at once. */
  abort(): void;
}
