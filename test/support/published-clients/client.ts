import type { signedParameters } from "../rest-client";

/** A published client library under test, connected to a node. */
export interface ClientLibrary {
  name: string;
  /**
   * Connects with the library's default settings.
   * @param token returns the session token, or undefined for a client that has not signed in
   */
  open(urls: { baseUrl: string; graphqlUrl: string }, token: () => string | undefined): Client;
  /** The error of {@link Client.sendInvalid}. */
  invalid: Refusal;
  /** The code of an unknown, ended or expired token: `extensions.code`, or the status over REST. */
  unauthenticated: string | number;
  /** The code of a read without a token. */
  withoutToken: string | number;
  /** The method of the HTTP requests that read, by default. */
  reads: "GET" | "POST";
}

/** A connected client. */
export interface Client {
  /** Creates a session of a user with a signed request. @returns its token */
  signIn(signed: SignedRequest, login: string, password: string): Promise<string>;
  /** The login of the session's user. */
  ownLogin(): Promise<string | undefined>;
  /**
   * The logins of all users with a tag, in the order of their ids, read in pages of two as the library's users do.
   * @param between runs after the first page
   */
  logins(tag: string, between: () => Promise<unknown>): Promise<string[]>;
  /** Sends a `reject` to a user. */
  reject(userId: number, callId: string): Promise<unknown>;
  /** Sends a request with an argument that is not allowed. */
  sendInvalid(): Promise<unknown>;
  /** The error's code and the names of the wrong fields. */
  refusalOf(error: unknown): Refusal;
  /** Subscribes to the user's signals; absent over REST. */
  listen?(onSignal: (signal: ClientSignal) => void, onError: (error: unknown) => void): void;
  /** Ends subscriptions and closes the socket. */
  close(): void;
}

/** Parameters of `POST /session` without the user. */
export type SignedRequest = ReturnType<typeof signedParameters>;

/** An error as a client decides by it. */
export interface Refusal {
  code: string | number | undefined;
  fields: string[];
}

/** What the tests select of a signal. */
export interface ClientSignal {
  __typename?: string;
  id: string;
  signalType: string;
  callId: string;
  userInfo: object | null;
  from: { userId: string };
}
