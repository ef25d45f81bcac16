/** The JSON jobs that bench/signals.ts sends to the driver. */

/** Domain of every server's users. */
export const DOMAIN = "chat.example";

/** An endpoint of a server, with its protocol. */
export type Endpoint =
  | { kind: "websocket"; url: string }
  | { kind: "tls"; port: number }
  | { kind: "graphql"; url: string };

/** The account of the user `{userId}-{applicationId}`, with the password or token that the server accepts. */
export interface Account {
  userId: number;
  applicationId: number;
  secret: string;
}

/** An account and the endpoint that it connects to. */
export interface ClientSpec {
  endpoint: Endpoint;
  account: Account;
}

/** Connects all accounts; they stay connected until the job `disconnect`. */
export interface ConnectJob {
  kind: "connect";
  specs: ClientSpec[];
  /** Time that this may take. */
  seconds: number;
}

/**
 * Exchanges signals between pairs of connected users: the first and the second, the third and the fourth …
 * With `both`, each call is answered by an accept before the next call is sent, and the latency is that of
 * the round trip. With `one`, the next call is sent when the previous one arrives; the latency is one-way.
 */
export interface ExchangeJob {
  kind: "exchange";
  /** Number of pairs that exchange signals concurrently. */
  pairs: number;
  ways: "both" | "one";
  seconds: number;
}

/** Pings all connections, counts the responses and disconnects. */
export interface DisconnectJob {
  kind: "disconnect";
  seconds: number;
}

/** Signs in and disconnects repeatedly during the window, eight users at a time. */
export interface SignInsJob {
  kind: "sign-ins";
  endpoint: Endpoint;
  accounts: Account[];
  seconds: number;
}

export type SignalJob = ConnectJob | ExchangeJob | DisconnectJob | SignInsJob;
