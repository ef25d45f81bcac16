import { Fault } from "../../core/errors";
import type { Identity } from "../identity";
import { checkUserPassword } from "./credentials";
import { findSession } from "./sessions";

/** A chat client that wants to sign in. */
export interface StreamSignIn {
  applicationId: number;
  userId: number;
  /** The account's password, or the token of one of the user's sessions. */
  secret: string;
  ip: string;
  /** The web page's origin, where a browser named one. */
  origin?: string;
}

/** Form of a token of ours; a password may look like one, so it only says what is worth a look. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Signs a chat stream in, by password or by session token.
 * @returns the session that the stream belongs to; null when it belongs to the user alone
 * @throws Fault UNAUTHENTICATED, the same for an unknown user as for a wrong secret; FORBIDDEN from a
 * web page that the application does not admit; LIMITED when too many sign in with a password from
 * there or too many failed. A good token is not counted: after a restart everybody in an office comes
 * back at once.
 */
export async function signInStream(
  identity: Identity,
  { applicationId, userId, secret, ip, origin }: StreamSignIn,
): Promise<{ sessionId: number | null }> {
  if (TOKEN.test(secret)) {
    const session = await sessionOf(identity, secret);
    if (session?.applicationId === applicationId && session.userId === userId) {
      if (origin !== undefined) await identity.origins.check(applicationId, origin);
      return { sessionId: session.id };
    }
  }
  await identity.limits.address("sign-in", ip);
  await checkUserPassword(identity, applicationId, userId, secret, ip);
  if (origin !== undefined) await identity.origins.check(applicationId, origin);
  return { sessionId: null };
}

async function sessionOf(identity: Identity, token: string) {
  try {
    return await findSession(identity, token);
  } catch (error) {
    if (error instanceof Fault && error.code === "UNAUTHENTICATED") return null;
    throw error;
  }
}
