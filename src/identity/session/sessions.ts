import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { cutText } from "../../core/text";
import type { Viewer } from "../../core/viewer";
import { findApplication } from "../application/applications";
import type { Identity } from "../identity";
import type { SignedIn } from "./credentials";
import { GUEST_MS } from "./guests";
import { SESSION_COLUMNS, SESSION_MS, type Session, type SessionRow, toSession } from "./session";
import { insertSession, moveSession } from "./session-rows";
import { namesSomebody, type SignIn, signIn } from "./sign-in";
import { checkSigned, type SignedRequest } from "./signing";

const FIND = {
  name: "find_session",
  text: `SELECT ${SESSION_COLUMNS} FROM sessions s LEFT JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1`,
};
const DESTROY = { name: "destroy_session", text: "DELETE FROM sessions WHERE id = $1" };

/** Characters of a User-Agent header that a session keeps. */
const USER_AGENT_MAX = 255;

/** Where a session comes from. */
export interface Origin {
  ip: string;
  userAgent?: string;
  /** The web page's origin, where a browser named one. */
  origin?: string;
}

/**
 * Creates a session from a signed request: an application session, or a user session when somebody
 * signs in with it (interface.md "POST /session").
 * @returns the session and its token, which is told this once and stored as a hash
 * @throws Fault INVALID for a bad signature, clock, nonce or application, UNAUTHENTICATED for wrong
 * credentials, FORBIDDEN from a web page that the application does not admit, LIMITED for too many; the
 * nonce is used up by then
 */
export async function createSession(
  identity: Identity,
  request: SignedRequest & { signIn: SignIn },
  origin: Origin,
): Promise<{ session: Session; token: string }> {
  const { application, nonce, timestamp: ts } = await checkSigned(identity, request);
  await identity.origins.check(application.id, origin.origin);
  // Counted once the signature is right: an application's number is no secret.
  await identity.limits.application("session", application.id);
  const signedIn = namesSomebody(request.signIn)
    ? await signIn(identity, application, request.signIn, origin)
    : null;
  const user = signedIn?.user ?? null;
  const token = newToken();
  const now = new Date(identity.clock.now());
  // A guest's ends with the guest, whatever is asked meanwhile.
  const sliding = !user?.isGuest;
  const expiresAt = new Date(now.getTime() + (sliding ? SESSION_MS : GUEST_MS));
  const id = await insertSession(
    identity,
    {
      ...{ applicationId: application.id, tokenHash: hashToken(token), nonce, ts, sliding },
      ...{ expiresAt, createdAt: now, ip: origin.ip, userAgent: keptUserAgent(origin) },
    },
    signedIn,
  );
  const session: Session = {
    ...{ id, applicationId: application.id, userId: user?.id ?? null, web: false, nonce, ts },
    sliding,
    expiresAt,
    createdAt: now,
    updatedAt: now,
    user,
  };
  if (user !== null) identity.touches.note(session);
  return { session, token };
}

/**
 * The session of a token, and a note of its use. At most one indexed read; none on a lone node that
 * remembers it.
 * @throws Fault UNAUTHENTICATED, in the one text, when it is missing, unknown, expired or destroyed
 */
export async function findSession(identity: Identity, token: string | undefined): Promise<Session> {
  if (!token) throw Fault.noSession();
  const hash = hashToken(token);
  const read = async () => {
    const [row] = await identity.store.query<SessionRow>(FIND, [hash]);
    return row ? toSession(row) : null;
  };
  const key = hash.toString("base64");
  const session = identity.cache
    ? (identity.cache.get(key) ?? (await identity.cache.load(key, read)))
    : await read();
  if (session === null || isOver(identity, session)) throw Fault.noSession();
  identity.touches.note(session);
  return session;
}

/** Ends a session: its token, and every connection that it authenticated, on every node. */
export async function destroySession(identity: Identity, session: Session): Promise<void> {
  await identity.store.query(DESTROY, [session.id]);
  identity.endings.announce({ kind: "session", sessionId: session.id });
}

/**
 * Gives a session to who has signed in, or back to the application alone (null); the token stays.
 * Connections that it authenticated for somebody else close.
 * @throws Fault UNAUTHENTICATED when the session was destroyed, or the password changed, meanwhile
 */
export async function setSessionUser(
  identity: Identity,
  session: Session,
  signedIn: SignedIn | null,
): Promise<Session> {
  const now = new Date(identity.clock.now());
  await moveSession(identity, session.id, signedIn, now);
  const user = signedIn?.user ?? null;
  const userId = user?.id ?? null;
  const { id: sessionId } = session;
  const left = session.userId !== null && session.userId !== userId;
  identity.endings.announce(
    left ? { kind: "session", sessionId } : { kind: "session changed", sessionId, userId },
  );
  const web = session.web && userId !== null;
  const changed = { ...session, userId, user, web, updatedAt: now };
  identity.touches.note(changed);
  return changed;
}

/** Signs a user in on a session (interface.md "POST /login"). @throws Fault as signIn */
export async function login(
  identity: Identity,
  session: Session,
  data: Omit<SignIn, "guest" | "fullName">,
  origin: Pick<Origin, "ip">,
): Promise<Session> {
  const application = await findApplication(identity, session.applicationId);
  const signedIn = await signIn(identity, application, data, origin);
  return setSessionUser(identity, session, signedIn);
}

/** Who a session lets in. */
export function viewerOf(session: Session): Viewer {
  const { id: sessionId, applicationId, userId, user, web } = session;
  if (userId === null) {
    return { kind: web ? "web" : "application", sessionId, applicationId, userId };
  }
  return { kind: user?.isGuest ? "guest" : "user", sessionId, applicationId, userId };
}

/** The User-Agent header as a session keeps it. */
export function keptUserAgent({ userAgent }: Origin): string | null {
  return userAgent === undefined ? null : cutText(userAgent, USER_AGENT_MAX);
}

/** Whether a session has expired. */
export function isOver(
  identity: Identity,
  session: Pick<Session, "id" | "sliding" | "expiresAt">,
): boolean {
  // The last use may not be written yet.
  const used = session.sliding ? identity.touches.lastUse(session.id) : undefined;
  const expiry = Math.max(session.expiresAt.getTime(), used === undefined ? 0 : used + SESSION_MS);
  return expiry <= identity.clock.now();
}
