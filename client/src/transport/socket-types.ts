import type { ResponseError } from "../errors.ts";
import type { TokenSession } from "../session/token-session.ts";
import type { PlatformEvents } from "./platform-events.ts";

/** Options of a `Socket`. */
export interface SocketOptions {
  /** URL of /graphql, ws: or wss:. */
  readonly url: string;
  readonly session: TokenSession;
  /** The class of `WebSocket`; by default the platform's. */
  readonly WebSocket?: unknown;
  readonly events?: PlatformEvents;
}

/** Receives the results of one attempt of a subscription. */
export interface SocketSink<Result> {
  next(result: { data?: Result | null; errors?: readonly ResponseError[] }): void;
  /** Called once. Without a reason the service has completed the subscription. */
  end(reason: readonly ResponseError[] | "connection" | null): void;
}
