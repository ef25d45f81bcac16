import { Calls } from "./calls/calls.ts";
import { Conferences } from "./conferences/conferences.ts";
import { iceServers } from "./data/ice-servers.ts";
import { getUser } from "./data/users.ts";
import { browserMedia, type MediaPlatform } from "./media/media-platform.ts";
import { Session } from "./session/session.ts";
import { sessionFetch } from "./session/session-fetch.ts";
import type { SessionSource } from "./session/session-source.ts";
import { memoryStorage, type TokenStorage } from "./session/storage.ts";
import { Signals } from "./signals/signals.ts";
import { baseUrl } from "./transport/base-url.ts";
import type { Document, DocumentTypes } from "./transport/document.ts";
import type { RequestOptions } from "./transport/http.ts";
import { Socket } from "./transport/socket.ts";
import { type SubscriptionSink, subscribe } from "./transport/subscription.ts";

/** Options of {@link openConnection}. */
export interface ConnectionOptions {
  /** The base URL of the service, such as https://api.example. */
  readonly url: string;
  /** Where sessions come from: usually a function that asks the application's own backend for a token. */
  readonly session: SessionSource;
  /** Keeps the token between visits; memory by default. */
  readonly storage?: TokenStorage;
  /** `fetch` of the platform by default. */
  readonly fetch?: typeof fetch;
  /** `WebSocket` of the platform by default; Node.js before 22 has none, and takes that of the package ws. */
  readonly WebSocket?: unknown;
}

/** Options of {@link createSignalbox}. */
export interface SignalboxOptions extends ConnectionOptions {
  /** The media objects of the platform: of the browser by default, null to take no calls. */
  readonly media?: MediaPlatform | null;
  /** Whether all media goes through a TURN server; false by default. */
  readonly relayOnly?: boolean;
}

/** A session and its signals, without calls: what a small bundle needs. */
export interface Connection {
  readonly session: Session;
  readonly signals: Signals;
  /**
   * Runs a query or mutation with the session's token. A document of graphql-codegen (`documentMode: "string"`) types
   * the result and the variables.
   * @throws SignalboxError
   */
  query<Result = Record<string, unknown>, Variables = Record<string, unknown>>(
    document: string | DocumentTypes<Result, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Result>;
  /**
   * Subscribes, and again after each lost connection, over the one socket of the client. A document with the variable
   * `$after`, whose field selects `cursor`, resumes behind its last result.
   * @returns a function that ends it
   */
  subscribe<Result = Record<string, unknown>, Variables = Record<string, unknown>>(
    document: string | DocumentTypes<Result, Variables>,
    variables: Variables,
    sink: SubscriptionSink<Result>,
  ): () => void;
  /**
   * `fetch` with the session's token, for other libraries and for REST; a path is relative to the service. When the
   * service refuses the token, the request is sent again with a new one.
   */
  readonly fetch: typeof fetch;
  /** Closes the connection, and ends all that waits. The session stays valid at the service. */
  close(): void;
}

/** A client of the service. */
export interface Signalbox extends Connection {
  readonly calls: Calls;
  readonly conferences: Conferences;
}

/**
 * Opens a client with only sessions and signals. Nothing is sent before it is used.
 *
 * @example
 * ```ts
 * import { openConnection, sessionFromUrl } from "@signalbox/client";
 *
 * const { session, signals, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: sessionFromUrl("/session"),
 * });
 * const { user } = await session.current();
 * console.log(`${user?.fullName} is signed in`);
 * const stop = signals.on("signal", ({ signalType, from }) => console.log(signalType, from.userId));
 * // Later:
 * stop();
 * close();
 * ```
 * @throws SignalboxError INVALID if `url` is not a valid URL
 */
export function openConnection(options: ConnectionOptions): Connection {
  return connect(options).connection;
}

/** A connection, and the socket that calls and conferences share with it. */
function connect(options: ConnectionOptions): { connection: Connection; socket: Socket } {
  const base = baseUrl(options.url);
  const graphqlUrl = `${base}/graphql`;
  const target = { graphqlUrl, fetch: options.fetch ?? ((...request) => fetch(...request)) };
  const session = new Session(target, options.session, options.storage ?? memoryStorage());
  const socket = new Socket({
    url: graphqlUrl.replace(/^http/, "ws"),
    session,
    WebSocket: options.WebSocket,
  });
  const signals = new Signals(session, socket);
  const connection: Connection = {
    session,
    signals,
    query<Result, Variables>(
      document: string | DocumentTypes<Result, Variables>,
      variables?: Variables,
      request?: RequestOptions,
    ) {
      const text = String(document) as Document<Result, Variables>;
      return session.execute(text, variables ?? ({} as Variables), request);
    },
    subscribe<Result, Variables>(
      document: string | DocumentTypes<Result, Variables>,
      variables: Variables,
      sink: SubscriptionSink<Result>,
    ) {
      const text = String(document) as Document<Result, Variables & object>;
      return subscribe({ socket, session }, text, { ...variables } as Variables & object, sink);
    },
    fetch: sessionFetch(session, base, target.fetch),
    close() {
      signals.close();
      socket.close();
      session.close();
    },
  };
  return { connection, socket };
}

/**
 * Opens a client with everything. Nothing is sent before it is used.
 *
 * @example
 * ```ts
 * import { createSignalbox, sessionFromUrl } from "@signalbox/client";
 *
 * const signalbox = createSignalbox({
 *   url: "http://127.0.0.1:4000",
 *   session: sessionFromUrl("/session"),
 * });
 * signalbox.calls.on("incoming", (call) => call.accept());
 * const call = await signalbox.calls.start({ users: [42], video: true });
 * call.on("remoteStream", ({ stream }) => {
 *   document.querySelector("video")!.srcObject = stream;
 * });
 * ```
 * @throws SignalboxError INVALID if `url` is not a valid URL
 */
export function createSignalbox(options: SignalboxOptions): Signalbox {
  const { connection, socket } = connect(options);
  const { session, signals } = connection;
  const media = options.media === undefined ? browserMedia() : options.media;
  const relayOnly = options.relayOnly ?? false;
  const conferences = new Conferences({ session, socket, media, relayOnly });
  const calls = new Calls({
    signals,
    media,
    relayOnly,
    userId: async () => (await session.current()).userId,
    async userName(id) {
      const user = await getUser(session, { id });
      return user?.fullName || (user?.login ?? null);
    },
    iceServers: () => iceServers(session),
  });
  session.on("leaving", (waitFor) => waitFor(calls.leave()));
  session.on("ended", () => void calls.leave());
  let user: string | null = null;
  session.on("changed", ({ userId }) => {
    if (user !== null && user !== userId) void calls.leave();
    user = userId;
  });
  return {
    ...connection,
    calls,
    conferences,
    close() {
      calls.close();
      conferences.close();
      connection.close();
    },
  };
}
