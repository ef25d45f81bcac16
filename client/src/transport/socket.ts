import { type Client, createClient } from "graphql-ws/client";
import { Emitter } from "../emitter.ts";
import {
  closedError,
  networkError,
  type ResponseError,
  responseError,
  SignalboxError,
} from "../errors.ts";
import { RenewSocketDocument } from "../generated/operations.ts";
import type { Session } from "../session/session.ts";
import { backoffMs, sleep } from "./backoff.ts";
import type { Document } from "./document.ts";
import { type PlatformEvents, platformEvents } from "./platform-events.ts";

/**
 * State of the connection. `offline` reconnects by itself; `ended` does not, because there is no session or the
 * application does not allow the page's origin.
 */
export type ConnectionStatus = "idle" | "connecting" | "online" | "offline" | "ended";

/** Events of a {@link Socket}. */
export interface SocketEvents {
  status: ConnectionStatus;
}

/** Options of a {@link Socket}. */
export interface SocketOptions {
  /** URL of /graphql, ws: or wss:. */
  readonly url: string;
  readonly session: Session;
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

/** Interval of pings, in milliseconds. */
const PING_MS = 10_000;
/** Time in which a pong must arrive, in milliseconds. */
const PONG_MS = 5_000;
/** Longest wait for the network to return before an attempt in spite of it, in milliseconds. */
const OFFLINE_MS = 15_000;
/** Time in which the service must accept a new connection, in milliseconds. */
const ACK_MS = 10_000;
/** How often in a row the service may refuse new tokens before this gives up. */
const REFUSALS_MAX = 3;

/** Close codes (docs/SIGNALING-REFERENCE.md, Close codes). */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
/** Codes of a violated protocol, which no retry can mend. */
const PROTOCOL_ERRORS = [4400, 4406, 4409, 4429];

/**
 * The one WebSocket of a client (graphql-transport-ws), which all subscriptions share. It opens with the first
 * subscription and closes with the last. It decides when the next connection may be tried, so that many subscriptions
 * make no more attempts than one, and it notices a dead connection by pings.
 */
export class Socket extends Emitter<SocketEvents> {
  readonly #session: Session;
  readonly #events: PlatformEvents;
  readonly #client: Client;
  readonly #closing = new AbortController();
  readonly #stopFollowing: () => void;
  #status: ConnectionStatus = "idle";
  /** The token of the present or next connection. */
  #token = "";
  #socket: { send(data: string): void } | null = null;
  #failures = 0;
  #refusals = 0;
  /** Time before which no connection is tried, in milliseconds of Date.now(). */
  #notBefore = 0;
  #final: SignalboxError | null = null;
  #ping: ReturnType<typeof setTimeout> | undefined;
  #pong: ReturnType<typeof setTimeout> | undefined;
  /** Number of connections that were tried. */
  attempts = 0;
  /** Number of connections that the service has accepted. */
  connections = 0;

  constructor({ url, session, WebSocket, events = platformEvents }: SocketOptions) {
    super();
    this.#session = session;
    this.#events = events;
    this.#client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: () => ({ token: this.#token }),
      connectionAckWaitTimeout: ACK_MS,
      // Subscriptions are made again by their owners, with new variables; see ready().
      retryAttempts: 0,
      on: {
        connecting: () => {
          this.attempts += 1;
          this.#setStatus("connecting");
        },
        connected: (socket) => this.#connected(socket as { send(data: string): void }),
        pong: (received) => received && this.#ponged(),
        closed: (event) => this.#closed((event as { code?: number }).code),
      },
    });
    this.#stopFollowing = events.onReturn(() => this.#check());
    session.on("ended", (reason) => this.#end(reason));
    session.on("changed", ({ token }) => void this.renew(token));
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /**
   * Waits until a connection may be tried, or exists.
   * @throws SignalboxError when no attempt can succeed any more
   */
  async ready(): Promise<void> {
    for (;;) {
      if (this.#final) throw this.#final;
      if (this.#status === "online") return;
      const isOffline = this.#events.isOffline;
      const wait = isOffline ? OFFLINE_MS : this.#notBefore - Date.now();
      if (wait <= 0) break;
      await sleep(wait, this.#closing.signal, (end) => this.#events.onReturn(end));
      if (isOffline) break;
    }
    try {
      this.#token = await this.#session.token();
    } catch (error) {
      const reason = error instanceof SignalboxError ? error : networkError(error);
      if (!this.#final) this.#backOff();
      throw this.#final ?? reason;
    }
  }

  /**
   * Runs a subscription until it ends or the connection is lost. Call {@link ready} first.
   * @returns a function that ends it; the sink then hears nothing more
   */
  subscribe<Result, Variables extends object>(
    document: Document<Result, Variables>,
    variables: Variables,
    sink: SocketSink<Result>,
  ): () => void {
    let isOver = false;
    const end = (reason: readonly ResponseError[] | "connection" | null) => {
      if (isOver) return;
      isOver = true;
      sink.end(reason);
    };
    const stop = this.#client.subscribe<Result>(
      { query: document, variables: variables as Record<string, unknown> },
      {
        next: (result) => {
          if (!isOver) sink.next(result as { data?: Result | null });
        },
        error: (problem) => {
          end(Array.isArray(problem) ? (problem as ResponseError[]) : "connection");
        },
        complete: () => end(null),
      },
    );
    return () => {
      isOver = true;
      stop();
    };
  }

  /**
   * Runs a mutation or query over the connection, and opens one if there is none. All that a connection sends comes
   * from the same device, also after a renewal of the session.
   * @throws SignalboxError of the response, NETWORK when the connection is lost before it, UNAVAILABLE
   */
  async execute<Result, Variables extends object>(
    document: Document<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Result> {
    await this.ready();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(closedError());
      const abort = () => {
        stop();
        reject(closedError());
      };
      signal?.addEventListener("abort", abort);
      const stop = this.subscribe(document, variables, {
        next({ data, errors }) {
          if (errors || !data) reject(responseError(errors ?? []));
          else resolve(data);
        },
        end(reason) {
          signal?.removeEventListener("abort", abort);
          reject(Array.isArray(reason) ? responseError(reason) : networkError(reason));
        },
      });
    });
  }

  /**
   * Moves the open connection to a new session of the same user, so that its subscriptions go on. A connection that
   * cannot be moved is closed, and opened again with the new token.
   */
  async renew(token: string): Promise<void> {
    if (this.#status !== "online" || token === this.#token) return;
    this.#token = token;
    try {
      await this.execute(RenewSocketDocument, { input: { token } });
    } catch {
      this.#client.terminate();
    }
  }

  /** Closes the connection for good. */
  close(): void {
    this.#end(closedError());
    this.removeListeners();
  }

  #connected(socket: { send(data: string): void }): void {
    this.#socket = socket;
    this.connections += 1;
    this.#failures = 0;
    this.#refusals = 0;
    this.#notBefore = 0;
    this.#setStatus("online");
    this.#pingLater();
  }

  #closed(code: number | undefined): void {
    this.#socket = null;
    clearTimeout(this.#ping);
    clearTimeout(this.#pong);
    this.#pong = undefined;
    if (this.#final) return;
    // The last subscription has ended.
    if (code === 1000) this.#setStatus("idle");
    else if (code === FORBIDDEN) {
      const message = "The application does not allow the origin of this page";
      this.#end(new SignalboxError("FORBIDDEN", message));
    } else if (code !== undefined && PROTOCOL_ERRORS.includes(code)) {
      this.#end(new SignalboxError("MALFORMED", `The service closed the WebSocket (${code})`));
    } else {
      this.#backOff();
      if (code === UNAUTHORIZED) this.#refused();
    }
  }

  /** The session of the connection has ended, moved to another user, or was never valid. */
  #refused(): void {
    this.#refusals += 1;
    if (this.#refusals > REFUSALS_MAX) {
      this.#end(new SignalboxError("UNAUTHENTICATED", "The service refuses every new token"));
      return;
    }
    // After a connection that was accepted, the next attempt need not wait.
    if (this.#failures === 1) this.#notBefore = 0;
    this.#session.replaceRefused(this.#token).catch(() => {});
  }

  #backOff(): void {
    this.#failures += 1;
    this.#notBefore = Date.now() + backoffMs(this.#failures);
    this.#setStatus("offline");
  }

  #pingLater(): void {
    clearTimeout(this.#ping);
    this.#ping = setTimeout(() => this.#check(), PING_MS);
  }

  /** Sends a ping; without a pong in time the connection is dead. */
  #check(): void {
    // Whoever waits for the next attempt makes it now.
    if (!this.#socket) this.#notBefore = Math.min(this.#notBefore, Date.now());
    if (!this.#socket || this.#pong !== undefined) return;
    clearTimeout(this.#ping);
    this.#socket.send('{"type":"ping"}');
    this.#pong = setTimeout(() => {
      this.#pong = undefined;
      this.#client.terminate();
    }, PONG_MS);
  }

  #ponged(): void {
    clearTimeout(this.#pong);
    this.#pong = undefined;
    this.#pingLater();
  }

  #end(reason: SignalboxError): void {
    if (this.#final) return;
    this.#final = reason;
    clearTimeout(this.#ping);
    clearTimeout(this.#pong);
    this.#stopFollowing();
    this.#closing.abort();
    // Rejects when there is no connection to close.
    Promise.resolve(this.#client.dispose()).catch(() => {});
    this.#setStatus("ended");
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status || this.#status === "ended") return;
    this.#status = status;
    this.emit("status", status);
  }
}
