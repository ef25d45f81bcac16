import { Fault } from "../../core/errors";
import type { Connection } from "../endings";
import type { Identity } from "../identity";
import { passwordMark } from "../password";
import { checkUserPassword, confirmPassword } from "./credentials";
import { findSession } from "./sessions";

/** A chat client that wants to sign in. */
export interface StreamSignIn {
  applicationId: number;
  userId: number;
  /** The account's password, or the token of one of the user's sessions. */
  secret: string;
  /** Null where a chat server asks that does not know it. */
  ip: string | null;
  /** The web page's origin, where a browser named one. */
  origin?: string;
}

/** A chat stream whose sign-in was found good. */
export interface StreamAdmission {
  /** The session that the stream belongs to; null when it belongs to the user alone. */
  sessionId: number | null;
  /** What the stream is watched with where a password signed it in: it ends when that changes. */
  password?: string;
  /**
   * Looks once more, when the stream is watched: what ended it in between was told to nobody.
   * @throws Fault as signInStream
   */
  confirm(): Promise<void>;
}

/** A chat stream that is to end with its session or user, or with its page's leave. */
export interface WatchedStream extends Connection {
  applicationId: number;
  origin?: string;
  /** Called when the application does not admit the web page any more. */
  refuse(): void;
}

/** Form of a token of ours; a password may look like one, so it only says what is worth a look. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Signs a chat stream in, by password or by session token.
 * @throws Fault UNAUTHENTICATED, the same for an unknown user as for a wrong secret; FORBIDDEN from a
 * web page that the application does not admit; LIMITED when too many sign in with a password from
 * there, too many failed, or the user or the application signs in too often. A good token is not counted
 * for its address: after a restart everybody in an office comes back at once.
 */
export async function signInStream(
  identity: Identity,
  attempt: StreamSignIn,
): Promise<StreamAdmission> {
  const { applicationId, userId, secret, ip, origin } = attempt;
  const confirmOrigin = () => identity.origins.check(applicationId, origin);
  const sessionId = TOKEN.test(secret) ? await sessionOf(identity, attempt) : null;
  if (sessionId !== null) {
    await confirmOrigin();
    await identity.limits.stream(attempt, "token");
    const confirm = async () => {
      if ((await sessionOf(identity, attempt)) === null) throw Fault.noSession();
      await confirmOrigin();
    };
    return { sessionId, confirm };
  }
  if (ip !== null) await identity.limits.address("sign-in", ip);
  const signedIn = await checkUserPassword(identity, applicationId, userId, secret, ip);
  await confirmOrigin();
  await identity.limits.stream(attempt, "password");
  const confirm = async () => {
    await confirmPassword(identity, signedIn);
    await confirmOrigin();
  };
  const { passwordHash } = signedIn;
  return {
    sessionId: null,
    password: passwordHash ? passwordMark(passwordHash) : undefined,
    confirm,
  };
}

/** Registers a live stream; answers how to withdraw it. */
export function watchStream(identity: Identity, stream: WatchedStream): () => void {
  const { applicationId, origin } = stream;
  const unwatch = identity.endings.watch(stream);
  if (origin === undefined) return unwatch;
  const refuse = () => stream.refuse();
  const leave = identity.origins.watch({ applicationId, origin, refuse });
  return () => {
    unwatch();
    leave();
  };
}

/** The session of the secret, if it is the token of one of this user. */
async function sessionOf(
  identity: Identity,
  { applicationId, userId, secret }: StreamSignIn,
): Promise<number | null> {
  try {
    const session = await findSession(identity, secret);
    return session.applicationId === applicationId && session.userId === userId ? session.id : null;
  } catch (error) {
    if (error instanceof Fault && error.code === "UNAUTHENTICATED") return null;
    throw error;
  }
}
