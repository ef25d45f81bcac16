import { isTransient, SignalboxError, type SignalboxErrorCode } from "../errors.ts";
import { CreateSessionForUserDocument } from "../generated/operations.ts";
import type { SessionDetails } from "../session/session-source.ts";
import type { ApplicationKeys } from "../session/sign.ts";
import { type Credentials, createSession as create } from "../session/signed-sessions.ts";
import { baseUrl } from "../transport/base-url.ts";
import { postGraphql } from "../transport/http.ts";

export { SignalboxError } from "../errors.ts";
export type { SessionDetails } from "../session/session-source.ts";
export type { ApplicationKeys } from "../session/sign.ts";
export type { Credentials } from "../session/signed-sessions.ts";

/** Options of {@link openSessions}: an API key for `forUser`, and the application's keys for `create`. */
export interface SessionsOptions extends Partial<ApplicationKeys> {
  /** The base URL of the service, such as http://127.0.0.1:4000. */
  readonly url: string;
  /**
   * An API key of the application with the scope SESSIONS, from `npx signalbox api-key create`. Anyone who has it can sign
   * in as any user of the application, so it belongs in a backend.
   */
  readonly apiKey?: string | undefined;
  /** `fetch` of the platform by default. */
  readonly fetch?: typeof fetch;
}

/** How a backend names a user: by exactly one of these. */
export type UserName =
  | { readonly userId: string; readonly login?: never; readonly externalId?: never }
  | { readonly login: string; readonly userId?: never; readonly externalId?: never }
  | { readonly externalId: string; readonly userId?: never; readonly login?: never };

/** A user of the backend for {@link Sessions.forUser}. */
export type BackendUser = UserName & {
  /** Display name of a user whom the session creates. */
  readonly fullName?: string;
  /** Tags of a user whom the session creates, by which the application lists users. */
  readonly tags?: readonly string[];
};

/** Creates sessions of an application's users, in its backend. */
export interface Sessions {
  /**
   * Creates a session with the application's keys: of a user by credentials, or without any an application session, on
   * which the page signs a user in.
   * @throws SignalboxError UNAUTHENTICATED for wrong credentials, or without the application's keys
   */
  create(credentials?: Credentials): Promise<SessionDetails>;
  /**
   * Creates a session of a user whom the backend has signed in by its own means, with the API key.
   *
   * If the application's setting `serverSessionsCreateUsers` is on, the first session for a login or an external id creates
   * the user, with whom the name stays. If it is off, the name reaches the user who has it now, also one who signed up
   * without the backend.
   * @throws SignalboxError UNAUTHENTICATED if the key is missing, unknown, expired or revoked; NOT_FOUND for an unknown user;
   * FORBIDDEN for a blocked user, or without the scope SESSIONS; INVALID for the name of a user who signed up without the
   * backend, unless the setting `serverSessionsReachSignedUpUsers` is on
   */
  forUser(user: BackendUser): Promise<SessionDetails>;
}

/**
 * Opens the creation of sessions. It keeps the API key in the backend: a page gets only tokens.
 *
 * @example
 * ```ts
 * import { openSessions } from "@signalbox/client/server";
 *
 * const sessions = openSessions({ url: "http://127.0.0.1:4000", apiKey: "your API key" });
 * // In the handler of POST /session, once the backend knows who asks:
 * const { token } = await sessions.forUser({ login: "ben", fullName: "Ben Lindqvist" });
 * console.log(JSON.stringify({ token }));
 * ```
 * @throws SignalboxError UNAUTHENTICATED without an API key and without the credentials of an application, so that a
 *   backend whose environment lacks them does not start
 */
export function openSessions({ url, apiKey, ...options }: SessionsOptions): Sessions {
  if (!apiKey && options.authSecret === undefined) {
    throw withoutKeys(
      "openSessions needs apiKey: npx signalbox api-key create --app 1 --name backend --scopes sessions",
    );
  }
  const target = {
    graphqlUrl: `${baseUrl(url)}/graphql`,
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
  };
  return {
    async create(credentials) {
      const { applicationId, authKey, authSecret } = options;
      if (applicationId === undefined || authKey === undefined || authSecret === undefined) {
        throw withoutKeys("create needs applicationId, authKey and authSecret");
      }
      return create(target, { applicationId, authKey, authSecret }, credentials);
    },
    async forUser({ tags, ...user }) {
      if (!apiKey) throw withoutKeys("forUser needs apiKey");
      const input = { ...user, ...(tags && { tags: [...tags] }) };
      const { createSessionForUser } = await postGraphql(
        target,
        { apiKey },
        CreateSessionForUserDocument,
        { input },
      );
      return createSessionForUser.session;
    },
  };
}

/** The keys are the backend's, so that `errorResponse` shows a page nothing of them. */
function withoutKeys(message: string): SignalboxError {
  return new SignalboxError("UNAUTHENTICATED", message);
}

/**
 * The statuses of the service (docs/ERRORS.md) that `sessionFromUrl` understands, and 422 for the other requests that fail
 * again: it repeats one that gets 404, 413 or 501, since a proxy or a deployment of the backend may answer so. Never 401,
 * which says that the visitor is not signed in at the backend.
 */
const STATUSES: Partial<Record<SignalboxErrorCode, number>> = {
  MALFORMED: 400,
  FORBIDDEN: 403,
  CONFLICT: 409,
  NOT_FOUND: 422,
  TOO_LARGE: 422,
  INVALID: 422,
  UNSUPPORTED: 422,
  LIMITED: 429,
};

/** What {@link errorResponse} makes of an error. */
export interface ErrorResponse {
  readonly status: number;
  /** `Retry-After` in seconds, if the service says when to ask again. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly message: string };
}

/**
 * What a backend's endpoint answers when a session could not be created: a status, headers and a body that `sessionFromUrl`
 * understands. A page can show the message. It is not shown errors of the backend itself: those of its keys
 * (UNAUTHENTICATED), and others than those of this package.
 *
 * @example
 * ```ts
 * import { errorResponse, openSessions } from "@signalbox/client/server";
 *
 * const sessions = openSessions({
 *   url: "http://127.0.0.1:4000",
 *   apiKey: "your API key",
 * });
 * try {
 *   await sessions.forUser({ login: "not allowed!" });
 * } catch (error) {
 *   const { status, headers, body } = errorResponse(error);
 *   console.log(status, headers, body.message);
 * }
 * ```
 * @returns 403 for FORBIDDEN (a blocked user, or an API key without the scope SESSIONS), 400, 409 or 422 for other requests
 * that fail again, 429 for LIMITED, 503 for what may succeed later, and 500 otherwise
 */
export function errorResponse(error: unknown): ErrorResponse {
  if (!(error instanceof SignalboxError) || error.code === "UNAUTHENTICATED") {
    return { status: 500, headers: {}, body: { message: "The session could not be created" } };
  }
  const { code, message, retryAfter } = error;
  const status = STATUSES[code] ?? (isTransient(error) ? 503 : 500);
  // The header has whole seconds.
  const headers: Record<string, string> =
    retryAfter === null ? {} : { "Retry-After": String(Math.ceil(retryAfter)) };
  return { status, headers, body: { message } };
}
