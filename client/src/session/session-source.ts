import { SignalboxError, type SignalboxErrorCode, secondsOf } from "../errors.ts";
import type { SessionFieldsFragment } from "../generated/operations.ts";
import type { HttpTarget } from "../transport/http.ts";

/** What a source of sessions returns: the token of a session, alone or with what else is known of it. */
export type SessionToken = string | { readonly token: string };

/** Why a session is asked for. */
export interface SessionRequest {
  /** Where the service is, for sources that sign in themselves. */
  readonly target: HttpTarget;
  /** The token that the service has refused or that is about to expire; null for the first session. */
  readonly replaces: string | null;
  /** Aborted when the client is closed. */
  readonly signal: AbortSignal;
}

/**
 * Hands out sessions: usually a function that asks the application's own backend for a token. It is called for the
 * first operation and whenever the session has ended, one call at a time. A SignalboxError that no retry can change,
 * such as UNAUTHENTICATED, ends the client's session; after any other error it is called again.
 */
export type SessionSource = (request: SessionRequest) => Promise<SessionToken> | SessionToken;

/** A session as the service describes it. */
export type SessionDetails = SessionFieldsFragment;

/** Statuses of a backend whose answer no retry changes, with their codes. Any other failure is UNAVAILABLE. */
const FINAL_STATUSES: Readonly<Record<number, SignalboxErrorCode>> = {
  400: "INVALID",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  409: "INVALID",
  422: "INVALID",
};
/** Maximum length of a message of the backend, in characters. */
const MESSAGE_MAX = 500;

/**
 * A source that asks the application's own backend by POST. It answers `{"token": "…"}`; 401 means that the visitor is not
 * signed in there, and 403 that the visitor may not be. The error has the `message` of the answer's JSON: 400, 401, 403,
 * 409 and 422 end the session, since the same request fails again; after another status the request is repeated, not
 * before the seconds of `Retry-After`. `errorResponse` of `@signalbox/client/server` makes such answers.
 *
 * @example
 * ```ts
 * import { openConnection, sessionFromUrl } from "@signalbox/client";
 *
 * const { session, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: sessionFromUrl("/session", { headers: { "X-Requested-With": "fetch" } }),
 * });
 * await session.token();
 * close();
 * ```
 * @param url of the backend's endpoint
 * @param init options of `fetch`, such as headers
 */
export function sessionFromUrl(url: string | URL, init?: RequestInit): SessionSource {
  return async ({ target, signal }) => {
    const { fetch } = target;
    const response = await fetch(url, { method: "POST", signal, ...init });
    if (response.ok) return (await response.json()) as { token: string };
    const { status, headers } = response;
    const code = FINAL_STATUSES[status] ?? (status === 429 ? "LIMITED" : "UNAVAILABLE");
    const reason = (await messageOf(response)) ?? `${url} refuses a session (status ${status})`;
    throw new SignalboxError(code, reason, {
      retryAfter: secondsOf(Number(headers.get("retry-after") ?? undefined)),
    });
  };
}

/** The `message` of a response's JSON; null if it has none, such as that of a proxy. */
async function messageOf(response: Response): Promise<string | null> {
  try {
    const { message } = (await response.json()) as { message?: unknown };
    return typeof message === "string" && message !== "" ? message.slice(0, MESSAGE_MAX) : null;
  } catch {
    return null;
  }
}
