import type { Element } from "ltx";

/** Start and end of a stream on a transport (RFC 7395 section 3.3, RFC 6120 section 4.2). */
export interface Framing {
  isOpen(element: Element): boolean;
  isClose(element: Element): boolean;
  /** The server's header. */
  open(domain: string, id: string): string;
  /** The end of the stream. */
  close: string;
}

/** Flow control of the input. */
export interface ReadControl {
  /** Pauses reading. */
  pauseReading(): void;
  /** Resumes reading. */
  resumeReading(): void;
}

/** The connection of one stream. */
export interface Transport extends ReadControl {
  /** Address of the client; null behind a proxy that does not forward it. */
  readonly ip: string | null;
  /** Origin of the web page, if a browser sent one. */
  readonly origin: string | undefined;
  /** Whether it is safe for passwords: encrypted, or local to this machine or a trusted proxy. */
  readonly trusted: boolean;
  /** Called when the client is authenticated. */
  readonly onAuthenticated: () => void;
  /** Switches to TLS and discards the input received so far; undefined if that is not possible (any more). */
  readonly startTls?: (() => void) | undefined;
  readonly framing: Framing;
  /** Expects a new header directly after the element that was read last. */
  restart(): void;
  /** Writes one element; must not throw. */
  write(xml: string): void;
  /** Bytes that are written but not yet sent. */
  backlog(): number;
  /** Sends a ping of the transport, if it has one. */
  probe(): void;
  /** Closes the connection after sending what was written. */
  end(): void;
  /** Closes the connection immediately. */
  abort(): void;
}
