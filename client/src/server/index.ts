import { isTransient, SignalboxError, type SignalboxErrorCode } from "../errors.ts";
import { CreateUserDocument } from "../generated/operations.ts";
import type { SessionDetails } from "../session/session-source.ts";
import type { ApplicationKeys } from "../session/sign.ts";
import { type Credentials, createSession as create } from "../session/signed-sessions.ts";
import { baseUrl } from "../transport/base-url.ts";
import { postGraphql } from "../transport/http.ts";

export { SignalboxError } from "../errors.ts";
export type { SessionDetails } from "../session/session-source.ts";
export type { ApplicationKeys } from "../session/sign.ts";
export type { Credentials } from "../session/signed-sessions.ts";

/** Options of {@link openSessions}. */
export interface SessionsOptions extends ApplicationKeys {
  /** The base URL of the service, such as http://127.0.0.1:4000. */
  readonly url: string;
  /**
   * From which the passwords of the backend's own users are derived; at least 32 random characters. Anyone who has it can
   * sign in as any of them, and if it changes, they cannot sign in any more.
   */
  readonly userSecret?: string;
  /** `fetch` of the platform by default. */
  readonly fetch?: typeof fetch;
}

/** A user of the backend for {@link Sessions.forUser}. */
export interface BackendUser {
  /** The user's identifier in the backend: 1 to 70 letters, digits or . - _ @ + */
  readonly login: string;
  /** Display name, for the first sign-in. */
  readonly fullName?: string;
  /** Tags by which the application lists users, for the first sign-in. */
  readonly tags?: readonly string[];
}

/** Signs sessions of an application, in its backend. */
export interface Sessions {
  /**
   * Creates a session: of a user by credentials, or without any an application session, on which the page signs a user
   * in.
   * @throws SignalboxError UNAUTHENTICATED for wrong credentials
   */
  create(credentials?: Credentials): Promise<SessionDetails>;
  /**
   * Creates a session of a user whom the backend has signed in by its own means. The first one creates the user at the
   * service, with a password derived from `userSecret`.
   * @throws SignalboxError INVALID if the login belongs to a user with another password: one who was created with another
   *   `userSecret`, or who has signed up with a password of its own
   */
  forUser(user: BackendUser): Promise<SessionDetails>;
}

/**
 * Opens the signing of sessions. It keeps auth_secret in the backend: a page gets only tokens.
 *
 * @example
 * ```ts
 * import { openSessions } from "@signalbox/client/server";
 *
 * const sessions = openSessions({
 *   url: "http://127.0.0.1:4000",
 *   applicationId: 1,
 *   authKey: "your auth_key",
 *   authSecret: "your auth_secret",
 *   userSecret: "at least 32 random characters, kept in the backend",
 * });
 * // In the handler of POST /session, once the backend knows who asks:
 * const { token } = await sessions.forUser({ login: "ben", fullName: "Ben Lindqvist" });
 * console.log(JSON.stringify({ token }));
 * ```
 */
export function openSessions({ url, userSecret, ...options }: SessionsOptions): Sessions {
  const target = {
    graphqlUrl: `${baseUrl(url)}/graphql`,
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
  };
  return {
    create: (credentials) => create(target, options, credentials),
    async forUser({ login, fullName, tags = [] }) {
      if (!userSecret) throw new SignalboxError("INVALID", "forUser needs userSecret");
      const password = await passwordOf(userSecret, login);
      const credentials = { user: { login, password } };
      const refused = (error: unknown, code: SignalboxErrorCode) => {
        if (!(error instanceof SignalboxError) || error.code !== code) throw error;
        return error;
      };
      try {
        return await create(target, options, credentials);
      } catch (error) {
        refused(error, "UNAUTHENTICATED");
      }
      const { token } = await create(target, options);
      const input = {
        login,
        password,
        tags: [...tags],
        ...(fullName !== undefined && { fullName }),
      };
      let taken: SignalboxError | null = null;
      try {
        await postGraphql(target, token, CreateUserDocument, { input });
      } catch (error) {
        // Another request for the same user may have been faster.
        taken = refused(error, "INVALID");
      }
      return create(target, options, credentials).catch((error) => {
        throw taken && refused(error, "UNAUTHENTICATED") ? unlessTaken(taken, login) : error;
      });
    },
  };
}

/** Explains why a user whose login exists cannot sign in; any other error of the sign-up as it is. */
function unlessTaken(error: SignalboxError, login: string): SignalboxError {
  const { fields, requestId } = error;
  if (!fields.login?.includes("has already been taken")) return error;
  const message = `The login ${login} belongs to a user with another password: one who was created with another userSecret, or who has signed up with a password of its own`;
  return new SignalboxError("INVALID", message, { fields, requestId: requestId ?? undefined });
}

/** Never 401 or 403, which say that the visitor is not signed in at the backend. */
const STATUSES: Partial<Record<SignalboxErrorCode, number>> = { INVALID: 422, LIMITED: 429 };

/**
 * What a backend's endpoint answers when a session could not be created: a status and a body that `sessionFromUrl`
 * understands. A page can show the message. Other errors than those of this package are not shown to it.
 *
 * @example
 * ```ts
 * import { errorResponse, openSessions } from "@signalbox/client/server";
 *
 * const sessions = openSessions({
 *   url: "http://127.0.0.1:4000",
 *   applicationId: 1,
 *   authKey: "your auth_key",
 *   authSecret: "your auth_secret",
 *   userSecret: "at least 32 random characters, kept in the backend",
 * });
 * try {
 *   await sessions.forUser({ login: "not allowed!" });
 * } catch (error) {
 *   const { status, body } = errorResponse(error);
 *   console.log(status, body.message);
 * }
 * ```
 * @returns 422 for INVALID, 429 for LIMITED, 503 for what may succeed later, and 500 otherwise
 */
export function errorResponse(error: unknown): { status: number; body: { message: string } } {
  if (!(error instanceof SignalboxError)) {
    return { status: 500, body: { message: "The session could not be created" } };
  }
  const { code, message } = error;
  const status = STATUSES[code] ?? (isTransient(error) ? 503 : 500);
  return { status, body: { message } };
}

/** The password of a backend's user: HMAC-SHA256 of the login, in base64url. */
async function passwordOf(secret: string, login: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(login.toLowerCase())));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
