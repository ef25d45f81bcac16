import { closedError, SignalboxError } from "../errors.ts";
import {
  BindWebSessionDocument,
  CreateSessionDocument,
  type CreateSessionMutationVariables,
  CreateWebSessionDocument,
  CurrentSessionDocument,
} from "../generated/operations.ts";
import { sleep } from "../transport/backoff.ts";
import { type HttpTarget, postGraphql } from "../transport/http.ts";
import type { Session } from "./session.ts";
import type { SessionDetails, SessionSource } from "./session-source.ts";
import { type ApplicationKeys, signParameters } from "./sign.ts";

/** Who signs in: a login or e-mail with a password, a guest, or a user of another provider. None is an application. */
export type Credentials = Pick<
  CreateSessionMutationVariables["input"],
  "user" | "provider" | "keys" | "firebasePhone"
>;

/** Options of {@link webSession}. */
export interface WebSessionOptions {
  /** Whether the session lasts 30 days instead of two hours after its last use. */
  readonly long?: boolean;
  /**
   * Shows the QR code, which the user scans with a device that is signed in.
   * @param svg an SVG document
   */
  onQrCode(svg: string): void;
}

/** Interval at which a web session is asked whether it was bound, in milliseconds. */
const POLL_MS = 2_000;

/**
 * Creates a session.
 * @throws SignalboxError UNAUTHENTICATED for wrong credentials, INVALID for a wrong key, signature or clock
 */
export async function createSession(
  target: HttpTarget,
  keys: ApplicationKeys,
  credentials: Credentials = {},
): Promise<SessionDetails> {
  const input = { ...(await signParameters(keys)), ...credentials };
  const { createSession } = await postGraphql(target, null, CreateSessionDocument, { input });
  return createSession.session;
}

/**
 * A source that signs in by itself, for prototypes and set-ups without a backend: the page then holds auth_secret, and
 * everybody who opens it can sign sessions of the application. In production use `sessionFromUrl`.
 *
 * @example
 * ```ts
 * import { openConnection, signedSession } from "@signalbox/client";
 *
 * const keys = { applicationId: 1, authKey: "your auth_key", authSecret: "your auth_secret" };
 * const { session, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: signedSession(keys, { user: { login: "alice", password: "correct horse" } }),
 * });
 * const { user } = await session.current();
 * console.log(user?.login);
 * close();
 * ```
 */
export function signedSession(keys: ApplicationKeys, credentials: Credentials = {}): SessionSource {
  return ({ target }) => createSession(target, keys, credentials);
}

/**
 * A source that shows a QR code and waits until a device that is signed in binds the session to its user.
 *
 * @example
 * ```ts
 * import { openConnection, webSession } from "@signalbox/client";
 *
 * const keys = { applicationId: 1, authKey: "your auth_key", authSecret: "your auth_secret" };
 * const { session, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: webSession(keys, {
 *     long: true,
 *     onQrCode: (svg) => console.log(`Show this to the user: ${svg.length} characters`),
 *   }),
 * });
 * session.on("changed", ({ user }) => console.log(`${user?.login} has scanned the code`));
 * // Waits for the scan; a page stays open until then.
 * const waiting = session.current().catch(() => console.log("closed before the scan"));
 * close();
 * await waiting;
 * ```
 */
export function webSession(
  keys: ApplicationKeys,
  { long = false, onQrCode }: WebSessionOptions,
): SessionSource {
  return async ({ target, signal }) => {
    const input = { ...(await signParameters(keys)), long };
    const { createWebSession } = await postGraphql(target, null, CreateWebSessionDocument, {
      input,
    });
    const { qrCode, session } = createWebSession;
    onQrCode(qrCode);
    for (;;) {
      await sleep(POLL_MS, signal);
      if (signal.aborted) throw closedError();
      const current = await postGraphql(target, session.token, CurrentSessionDocument, {}).catch(
        (error: SignalboxError) => {
          if (error.code === "UNAUTHENTICATED" || error.code === "FORBIDDEN") throw error;
          return null;
        },
      );
      if (current?.currentSession.userId) return session;
    }
  };
}

/**
 * Binds a web session to the signed-in user.
 *
 * @example
 * ```ts
 * import { bindWebSession, SignalboxError } from "@signalbox/client";
 *
 * try {
 *   await bindWebSession(signalbox.session, "what the camera has read");
 * } catch (error) {
 *   if (error instanceof SignalboxError) console.log(error.code);
 * }
 * ```
 * @param codeOrToken what the QR code holds, or the web session's token
 * @throws SignalboxError NOT_FOUND for a code that is unknown or was used
 */
export async function bindWebSession(session: Session, codeOrToken: string): Promise<void> {
  await session.execute(BindWebSessionDocument, { input: { codeOrToken } });
}
