import type { TraceHeaders } from "./tracing";

/** What a transport knows about a request before the session is looked up. */
export interface Caller {
  protocol: "graphql" | "websocket" | "rest";
  ip: string;
  userAgent?: string;
  /** The session token, as sent. */
  token?: string;
  /** The API key of a backend, as sent. HTTP only, and never together with a token. */
  apiKey?: string;
  /** Origin of the web page, if the client is a browser. */
  origin?: string;
  requestId: string;
  /** The span that the client runs the operation in. WebSocket only: over HTTP it is the request's. */
  trace?: TraceHeaders;
  /**
   * Body parameters as sent, flattened to wire names (`user[login]`) and raw text. REST only: a signature
   * may cover all of them.
   */
  parameters?: () => Array<[name: string, text: string]>;
  /** Closes the connection of a client that does not keep up. WebSocket only. */
  disconnect?: () => void;
  /**
   * Switches the connection to the session of another token of the same user. WebSocket only.
   * @throws Fault UNAUTHENTICATED, FORBIDDEN
   */
  renewSession?: (token: string) => Promise<void>;
  /** Id of the connection's first session; identifies the device, also after a renewal. WebSocket only. */
  deviceSessionId?: number;
  /** Keeps the connection open until this operation, which ends the session, is answered. WebSocket only. */
  deferClose?: () => void;
}
