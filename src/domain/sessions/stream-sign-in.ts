import { Fault, toFault } from "../../core/errors";
import { hasTokenForm } from "../../core/random";
import { passwordFingerprint } from "../passwords/password";
import type { LiveConnection } from "../session-events/session-events";
import {
  assertPasswordUnchanged,
  checkTokenFormPassword,
  checkUserPassword,
  countSignIn,
  type SignInResult,
} from "../users/credentials";
import type { SessionDeps } from "./session-deps";
import { findSession } from "./sessions";

/** The sign-in request of a chat client. */
export interface StreamSignIn {
  applicationId: number;
  userId: number;
  /** The account's password, or the token of one of the user's sessions. */
  secret: string;
  /** Null when an external chat server asks, which does not know the client's address. */
  ip: string | null;
  /** The web page's origin, if a browser sent one. */
  origin?: string;
}

/** A successful sign-in of a chat stream. */
export interface StreamSignInResult {
  /** The stream's session; null when the stream was signed in by password. */
  sessionId: number | null;
  /** Fingerprint of the password that signed the stream in. A password change closes the stream. */
  passwordFingerprint?: string;
  /**
   * Checks again. Call it once the stream is watched, because an earlier end of the session, user or origin
   * did not reach the stream.
   * @throws Fault as {@link signInStream}
   */
  confirm(): Promise<void>;
}

/** A chat stream that closes when its session or user ends, or when its web origin is no longer allowed. */
export interface TrackedStream extends LiveConnection {
  applicationId: number;
  origin?: string;
  /** Called when the application no longer allows the web origin. */
  refuse(): void;
}

/**
 * Signs a chat stream in, by password or by session token.
 * @throws Fault UNAUTHENTICATED, the same for an unknown user and a wrong secret; FORBIDDEN from a web
 * origin that the application does not allow; LIMITED after too many password sign-ins from the address,
 * too many failures, or too many sign-ins of the user or the application. A valid token does not count
 * against its address: after a restart all clients of an office reconnect at once. An ended one counts as one
 * request of the address, as over HTTP.
 */
export async function signInStream(
  deps: SessionDeps,
  attempt: StreamSignIn,
): Promise<StreamSignInResult> {
  try {
    return await checkStreamSignIn(deps, attempt);
  } catch (error) {
    deps.counters.countError(attempt.applicationId, toFault(error).code);
    throw error;
  }
}

async function checkStreamSignIn(
  deps: SessionDeps,
  attempt: StreamSignIn,
): Promise<StreamSignInResult> {
  const { applicationId, secret, origin } = attempt;
  const confirmOrigin = () => deps.webOrigins.check(applicationId, origin);
  const isTokenForm = hasTokenForm(secret);
  const sessionId = isTokenForm ? await findSessionOfUser(deps, attempt) : null;
  if (sessionId !== null) {
    await confirmOrigin();
    await deps.limits.countStreamSignIn(attempt, "token");
    const confirm = async () => {
      if ((await findSessionOfUser(deps, attempt)) === null) throw Fault.noSession();
      await confirmOrigin();
    };
    return { sessionId, confirm };
  }
  const signedIn = await (isTokenForm ? signInByTokenForm : signInByPassword)(deps, attempt);
  await confirmOrigin();
  await deps.limits.countStreamSignIn(attempt, "password");
  const confirm = async () => {
    await assertPasswordUnchanged(deps, signedIn);
    await confirmOrigin();
  };
  const { passwordHash } = signedIn;
  return {
    sessionId: null,
    passwordFingerprint: passwordHash ? passwordFingerprint(passwordHash) : undefined,
    confirm,
  };
}

async function signInByPassword(deps: SessionDeps, attempt: StreamSignIn): Promise<SignInResult> {
  const { applicationId, secret, ip } = attempt;
  if (ip !== null) await deps.limits.countForAddress("sign-in", ip);
  return countSignIn(deps, applicationId, () => checkUserPassword(deps, attempt, secret));
}

/** Signs in by what has the form of a token but is not one of the user's. A failure does not count as a failed sign-in. */
async function signInByTokenForm(deps: SessionDeps, attempt: StreamSignIn): Promise<SignInResult> {
  const { applicationId, secret, ip } = attempt;
  const limited = ip === null ? null : deps.limits.countRequest(ip);
  if (limited) throw limited;
  const signedIn = await checkTokenFormPassword(deps, attempt, secret);
  deps.counters.count(applicationId, "signIns");
  return signedIn;
}

/** Registers a live stream. @returns a function that unregisters it */
export function trackStream(deps: SessionDeps, stream: TrackedStream): () => void {
  const { applicationId, origin } = stream;
  const unwatch = deps.sessionEvents.track(stream);
  if (origin === undefined) return unwatch;
  const disconnect = () => stream.refuse();
  const unwatchOrigin = deps.webOrigins.track({ applicationId, origin, disconnect });
  return () => {
    unwatch();
    unwatchOrigin();
  };
}

/** The id of the user's session that has the secret as its token; null if there is none. */
async function findSessionOfUser(
  deps: SessionDeps,
  { applicationId, userId, secret }: StreamSignIn,
): Promise<number | null> {
  try {
    const session = await findSession(deps, secret);
    return session.applicationId === applicationId && session.userId === userId ? session.id : null;
  } catch (error) {
    if (error instanceof Fault && error.code === "UNAUTHENTICATED") return null;
    throw error;
  }
}
