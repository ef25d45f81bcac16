import { baseUrl } from "../transport/base-url.ts";
import type { Document, DocumentTypes } from "../transport/document.ts";
import { postGraphql, type RequestOptions } from "../transport/http.ts";
import { type ConnectionStatus, Socket } from "../transport/socket.ts";
import { type SubscriptionSink, subscribe } from "../transport/subscription.ts";
import { MemberSession, type MemberTokenSource } from "./member-session.ts";

/** Options of {@link openMemberConnection}. */
export interface MemberConnectionOptions {
  /** The base URL of the service, such as https://api.example. */
  readonly url: string;
  /** Where tokens come from: usually a sign-in with `signInMember`. */
  readonly source: MemberTokenSource;
  /** A token to begin with; without one the source is asked. */
  readonly token?: string | null;
  /** `fetch` of the platform by default. */
  readonly fetch?: typeof fetch;
  /** `WebSocket` of the platform by default; Node.js before 22 has none, and takes that of the package ws. */
  readonly WebSocket?: unknown;
}

/** A connection of a member of an account, for tools that manage applications. */
export interface MemberConnection {
  /**
   * Runs a query or mutation with the token. When the service refuses the token, it waits for another one of the source.
   * @throws SignalboxError
   */
  query<Result = Record<string, unknown>, Variables = Record<string, unknown>>(
    document: string | DocumentTypes<Result, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Result>;
  /** Runs an operation that needs no token, such as `signInMember`. @throws SignalboxError */
  queryWithoutToken<Result = Record<string, unknown>, Variables = Record<string, unknown>>(
    document: string | DocumentTypes<Result, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Result>;
  /** Subscribes, and again after each lost connection, over the one socket of the connection. @returns a function that ends it */
  subscribe<Result = Record<string, unknown>, Variables = Record<string, unknown>>(
    document: string | DocumentTypes<Result, Variables>,
    variables: Variables,
    sink: SubscriptionSink<Result>,
  ): () => void;
  /** State of the socket, which opens with the first subscription. */
  readonly status: ConnectionStatus;
  /** Calls a listener with each state of the socket. @returns a function that removes it */
  onStatus(listener: (status: ConnectionStatus) => void): () => void;
  /** Closes the connection, and ends all that waits. The token stays valid at the service. */
  close(): void;
}

/**
 * Opens a connection with the token of a member of an account. Nothing is sent before it is used.
 *
 * @example
 * ```ts
 * import { openMemberConnection, SignalboxError } from "@signalbox/client/admin";
 *
 * const signIn = "mutation($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
 * const { query, queryWithoutToken, close } = openMemberConnection({
 *   url: "http://127.0.0.1:4000",
 *   // Asked again when the session has ended: a page shows its sign-in here.
 *   source: async () => {
 *     const input = { email: "owner@localhost", password: "what the owner has typed" };
 *     const answer = await queryWithoutToken<{ signInMember: { token: string } }>(signIn, { input });
 *     return answer.signInMember.token;
 *   },
 * });
 * try {
 *   console.log(await query("{ account { name } }"));
 * } catch (error) {
 *   console.log(error instanceof SignalboxError && error.message);
 * }
 * close();
 * ```
 * @throws SignalboxError INVALID if `url` is not a valid URL
 */
export function openMemberConnection(options: MemberConnectionOptions): MemberConnection {
  const graphqlUrl = `${baseUrl(options.url)}/graphql`;
  const target = { graphqlUrl, fetch: options.fetch ?? ((...request) => fetch(...request)) };
  const session = new MemberSession(target, options.source, options.token ?? null);
  const socket = new Socket({
    url: graphqlUrl.replace(/^http/, "ws"),
    session,
    WebSocket: options.WebSocket,
  });
  const documentOf = <Result, Variables>(document: string | DocumentTypes<Result, Variables>) =>
    String(document) as Document<Result, Variables>;
  return {
    query: (document, variables, request) =>
      session.execute(documentOf(document), variables ?? ({} as never), request),
    queryWithoutToken: (document, variables, request) =>
      postGraphql(target, null, documentOf(document), variables ?? ({} as never), request),
    subscribe<Result, Variables>(
      document: string | DocumentTypes<Result, Variables>,
      variables: Variables,
      sink: SubscriptionSink<Result>,
    ) {
      const text = documentOf<Result, Variables & object>(document as string);
      return subscribe({ socket, session }, text, { ...variables } as Variables & object, sink);
    },
    get status() {
      return socket.status;
    },
    onStatus: (listener) => socket.on("status", listener),
    close() {
      socket.close();
      session.close();
    },
  };
}
