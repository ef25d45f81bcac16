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
import type { TokenSession } from "../session/token-session.ts";
import { backoffMs, sleep, unlessAborted } from "./backoff.ts";
import { finalReason, NORMAL, UNAUTHORIZED } from "./close-codes.ts";
import type { Document } from "./document.ts";
import { Heartbeat } from "./heartbeat.ts";
import { type PlatformEvents, platformEvents } from "./platform-events.ts";
import type { SocketOptions, SocketSink } from "./socket-types.ts";
import { boundedWebSocket } from "./web-socket.ts";

/**
 * State of the connection. `offline` reconnects by itself; `ended` does not, because there is no session or the
 * application does not allow the page's origin.
 */
export type ConnectionStatus = "idle" | "connecting" | "online" | "offline" | "ended";

/** Events of a {@link Socket}. */
export interface SocketEvents {
  status: ConnectionStatus;
}

/** Longest wait for the network to return before an attempt in spite of it, in milliseconds. */
const OFFLINE_MS = 15_000;
/** Time in which the service must accept a new connection, in milliseconds. */
const ACK_MS = 10_000;
/** How often in a row the service may refuse new tokens before this gives up. */
const REFUSALS_MAX = 3;

/**
 * The one WebSocket of a client (graphql-transport-ws), which all subscriptions share. It opens with the first
 * subscription and closes with the last. It decides when the next connection may be tried, so that many subscriptions
 * make no more attempts than one, and it notices a dead connection by pings.
 */
export class Socket extends Emitter<SocketEvents> {
  readonly #session: TokenSession;
  readonly #events: PlatformEvents;
  readonly #url: string;
  readonly #WebSocket: unknown;
  /** Created with the first operation, because a platform without WebSockets may need none. */
  #client: Client | null = null;
  /** Ends each running operation as if the connection was lost. */
  readonly #operations = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #stopFollowing: () => void;
  #status: ConnectionStatus = "idle";
  /** The token of the present or next connection. */
  #token = "";
  #failures = 0;
  #refusals = 0;
  /** The token that the service has refused last, until it is replaced or turns out to be good. */
  #refusedToken: string | null = null;
  /** Time before which no connection is tried, in milliseconds of Date.now(). */
  #notBefore = 0;
  #final: SignalboxError | null = null;
  /** What all who wait for a connection share. */
  #ready: Promise<void> | null = null;
  readonly #heartbeat = new Heartbeat(() => this.#client?.terminate());
  /** Number of connections that were tried. */
  attempts = 0;
  /** Number of connections that the service has accepted. */
  connections = 0;

  constructor({ url, session, WebSocket, events = platformEvents }: SocketOptions) {
    super();
    this.#session = session;
    this.#events = events;
    this.#url = url;
    this.#WebSocket = WebSocket;
    this.#stopFollowing = events.onReturn(() => this.#check());
    session.on("ended", (reason) => this.#end(reason));
    session.on("changed", ({ token }) => void this.renew(token));
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** @throws SignalboxError UNSUPPORTED */
  #open(): Client {
    return createClient({
      url: this.#url,
      webSocketImpl: boundedWebSocket(this.#WebSocket, (cause) => {
        const message = "The platform allows no WebSocket to this URL";
        const reason = new SignalboxError("UNSUPPORTED", message, { cause });
        // This comes while an operation begins.
        queueMicrotask(() => this.#end(reason));
      }),
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
        pong: (received) => received && this.#heartbeat.ponged(),
        // A browser runs what waits for the error before it reports the close: the next attempt would begin between the
        // two, and the close would be taken for that of the new connection.
        error: () => this.#client?.terminate(),
        closed: (event) => this.#closed((event as { code?: number }).code),
      },
    });
  }

  /**
   * Waits until a connection may be tried, or exists.
   * @throws SignalboxError when no attempt can succeed any more
   */
  ready(): Promise<void> {
    this.#ready ??= this.#becomeReady().finally(() => {
      this.#ready = null;
    });
    return this.#ready;
  }

  async #becomeReady(): Promise<void> {
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
      this.#client ??= this.#open();
    } catch (error) {
      this.#end(error as SignalboxError);
      throw error;
    }
    try {
      // A refused token is not tried again before the service has confirmed it, or the source has given another one.
      const refused = this.#refusedToken;
      this.#token = await (refused === null
        ? this.#session.token()
        : this.#session.replaceRefused(refused));
      this.#refusedToken = null;
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
      this.#operations.delete(lose);
      sink.end(reason);
    };
    const lose = () => {
      end("connection");
      stop?.();
    };
    this.#operations.add(lose);
    const stop = this.#client?.subscribe<Result>(
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
      this.#operations.delete(lose);
      // After the messages that have arrived with this one: graphql-ws counts an operation twice as ended that is stopped
      // while its `complete` waits, and then closes a connection that others use.
      queueMicrotask(() => stop?.());
    };
  }

  /**
   * Runs a mutation or query over the connection, and opens one if there is none. All that a connection sends comes
   * from the same device, also after a renewal of the session.
   * @throws SignalboxError of the response, NETWORK when the connection is lost before it, UNAVAILABLE, CLOSED if it was
   *   aborted
   */
  async execute<Result, Variables extends object>(
    document: Document<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Result> {
    await unlessAborted(this.ready(), signal);
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
        end: (reason) => {
          signal?.removeEventListener("abort", abort);
          reject(
            Array.isArray(reason) ? responseError(reason) : (this.#final ?? networkError(reason)),
          );
        },
      });
    });
  }

  /**
   * Moves the open connection to a new session of the same user, so that its subscriptions continue. A connection that
   * cannot be moved is closed, and opened again with the new token.
   */
  async renew(token: string): Promise<void> {
    if (this.#status !== "online" || token === this.#token) return;
    this.#token = token;
    try {
      await this.execute(RenewSocketDocument, { input: { token } });
    } catch {
      this.#client?.terminate();
    }
  }

  /** Closes the connection for good. */
  close(): void {
    this.#end(closedError());
    this.removeListeners();
  }

  #connected(socket: { send(data: string): void }): void {
    this.connections += 1;
    this.#failures = 0;
    this.#refusals = 0;
    this.#notBefore = 0;
    this.#setStatus("online");
    this.#heartbeat.start((message) => socket.send(message));
  }

  #closed(code: number | undefined): void {
    this.#heartbeat.stop();
    if (this.#final) return;
    const reason = finalReason(code);
    if (reason) this.#end(reason);
    else if (code === NORMAL && this.#operations.size === 0) this.#setStatus("idle");
    else {
      this.#backOff();
      if (code === UNAUTHORIZED) this.#refused();
      // After this code graphql-ws would connect again at once, also if a proxy has closed.
      if (code === NORMAL) for (const lose of [...this.#operations]) lose();
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
    this.#refusedToken = this.#token;
  }

  #backOff(): void {
    this.#failures += 1;
    this.#notBefore = Date.now() + backoffMs(this.#failures);
    this.#setStatus("offline");
  }

  /** The network has returned, or the page runs again: the connection may be dead, or possible. */
  #check(): void {
    // A caller that waits for the next attempt makes it now.
    if (this.#status !== "online") this.#notBefore = Math.min(this.#notBefore, Date.now());
    this.#heartbeat.check();
  }

  #end(reason: SignalboxError): void {
    if (this.#final) return;
    this.#final = reason;
    this.#heartbeat.stop();
    this.#stopFollowing();
    this.#closing.abort();
    for (const lose of [...this.#operations]) lose();
    // Rejects when there is no connection to close.
    Promise.resolve(this.#client?.dispose()).catch(() => {});
    this.#setStatus("ended");
  }

  #setStatus(status: ConnectionStatus): void {
    if (this.#status === status || this.#status === "ended") return;
    this.#status = status;
    this.#session.isConnected = status === "online";
    this.emit("status", status);
  }
}
