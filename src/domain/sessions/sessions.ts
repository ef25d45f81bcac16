import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { parseId } from "../../core/text/ids";
import { truncateText } from "../../core/text/text";
import type { UserOrMember } from "../../core/viewer";
import { purgeRows } from "../../platform/store/rows/expired-rows";
import { findApplication } from "../applications/applications";
import { hasCredentials, type SignInData, signIn } from "../sign-in/sign-in";
import type { SignInResult } from "../users/credentials";
import { GUEST_TTL_MS } from "../users/guests";
import {
  deleteOwnedSession,
  findSessionOwner,
  type SessionOwner,
} from "./application-session-queries";
import { OLD_NONCES } from "./nonce-queries";
import { SESSION_TTL_MS, type Session } from "./session";
import type { SessionDeps } from "./session-deps";
import {
  deleteSession,
  EXPIRED_SESSIONS,
  findSessionByToken,
  insertSession,
  type SessionSource,
  updateSessionUser,
} from "./session-queries";
import { type SignedRequest, TIMESTAMP_TOLERANCE_S, verifySignedRequest } from "./verify-signature";

/** The source of a session that a client has signed for. */
const CLIENT: SessionSource = { origin: "client", apiKeyId: null };
/** Maximum stored length of a User-Agent header, in characters. */
const USER_AGENT_MAX = 255;
/** Delay before an expired session is deleted, in ms: other nodes write its last use seconds late. */
const SESSION_MARGIN_MS = 60_000;
/** Time that a nonce is kept after its timestamp ceased to be accepted, in seconds. */
const NONCE_MARGIN = 5 * 60;

/** The client that creates a session. */
export interface ClientInfo {
  ip: string;
  userAgent?: string;
  /** The web page's origin, if a browser sent one. */
  origin?: string;
  /** Called with the application of the request, once the request has its auth key. */
  onApplication?(applicationId: number): void;
}

/**
 * Creates a session from a signed request: an application session, or with credentials a user session
 * (schema/rest/session.graphql).
 * @returns the session and its token; only the token's hash is stored
 * @throws Fault INVALID for a bad signature, timestamp, nonce or application; UNAUTHENTICATED for wrong
 * credentials; FORBIDDEN from a web origin that the application does not allow; LIMITED. Except for
 * INVALID, the nonce is consumed.
 */
export async function createSession(
  deps: SessionDeps,
  request: SignedRequest & { signIn: SignInData },
  client: ClientInfo,
): Promise<{ session: Session; token: string }> {
  const {
    application,
    nonce,
    timestamp: ts,
  } = await verifySignedRequest(deps, request, client.onApplication);
  await deps.webOrigins.check(application.id, client.origin);
  // Counted after the signature is verified: application ids are public, so others could exhaust the limit.
  await deps.limits.countForApplication("session", application.id);
  const signedIn = hasCredentials(request.signIn)
    ? await signIn(deps, application, request.signIn, client)
    : null;
  return startSession(deps, { applicationId: application.id, nonce, ts }, signedIn, client);
}

/** The request that a session is created by. */
interface SessionRequest {
  applicationId: number;
  nonce: number;
  /** In Unix seconds. */
  ts: number;
}

/**
 * Creates a session of a user, or of an application (`signedIn` is null). Does not check permissions.
 * @returns the session and its token; only the token's hash is stored
 * @throws Fault FORBIDDEN when the user is blocked, UNAUTHENTICATED when the password changed during the sign-in or the API
 * key was revoked, UNAVAILABLE when the user was deleted
 */
export async function startSession(
  deps: SessionDeps,
  { applicationId, nonce, ts }: SessionRequest,
  signedIn: SignInResult | null,
  client: ClientInfo,
  source: SessionSource = CLIENT,
): Promise<{ session: Session; token: string }> {
  const user = signedIn?.user ?? null;
  const token = newToken();
  const now = new Date(deps.clock.now());
  // A guest's session expires together with the guest, so requests do not extend it.
  const sliding = !user?.isGuest;
  const expiresAt = new Date(now.getTime() + (sliding ? SESSION_TTL_MS : GUEST_TTL_MS));
  const id = await insertSession(
    deps.store,
    {
      applicationId,
      tokenHash: hashToken(token),
      nonce,
      ts,
      sliding,
      expiresAt,
      createdAt: now,
      ip: client.ip,
      userAgent: storedUserAgent(client),
    },
    signedIn,
    source,
  );
  const session: Session = {
    id,
    applicationId,
    userId: user?.id ?? null,
    web: false,
    nonce,
    ts,
    sliding,
    expiresAt,
    createdAt: now,
    updatedAt: now,
    user,
  };
  if (user !== null) deps.activity.recordActivity(session);
  return { session, token };
}

/**
 * Finds the session of a token and records its activity. Costs one indexed read, or none if a single-node
 * deployment has it cached.
 * @throws Fault UNAUTHENTICATED, with the same text for a missing, unknown, expired and destroyed token
 */
export async function findSession(deps: SessionDeps, token: string | undefined): Promise<Session> {
  if (!token) throw Fault.noSession();
  const hash = hashToken(token);
  const read = () => findSessionByToken(deps.store, hash);
  const key = hash.toString("base64");
  const session = deps.sessionCache
    ? (deps.sessionCache.get(key) ?? (await deps.sessionCache.load(key, read)))
    : await read();
  if (session === null || isExpired(deps, session)) throw Fault.noSession();
  deps.activity.recordActivity(session);
  return session;
}

/** Ends a session and closes the connections that it authenticated, on every node. Does not check permissions. */
export async function destroySession(
  deps: Pick<SessionDeps, "store" | "sessionEvents">,
  sessionId: number,
): Promise<void> {
  await deleteSession(deps.store, sessionId);
  deps.sessionEvents.publish({ kind: "session", sessionId });
}

/**
 * Ends a session of the viewer, or of an application of the member's account, as {@link destroySession} does.
 * @returns the user whose session it was; null for a session without a user
 * @throws Fault NOT_FOUND, also for a session of others
 */
export async function destroySessionOf(
  { store, sessionEvents }: Pick<SessionDeps, "store" | "sessionEvents">,
  viewer: UserOrMember,
  id: string,
): Promise<number | null> {
  const sessionId = parseId(id);
  const owner = sessionId === null ? null : await findSessionOwner(store, sessionId);
  if (sessionId === null || owner === null || !(await mayEnd(viewer, owner))) throw noSession();
  if (!(await deleteOwnedSession(store, sessionId, owner))) throw noSession();
  sessionEvents.publish({ kind: "session", sessionId });
  return owner.userId;
}

async function mayEnd(viewer: UserOrMember, { applicationId, userId }: SessionOwner) {
  return viewer.kind === "member" ? viewer.owns(applicationId) : viewer.userId === userId;
}

function noSession(): Fault {
  return new Fault("NOT_FOUND", "There is no such session");
}

/**
 * Sets the user of a session, or makes it an application session again (`signedIn` is null). The token
 * stays valid. Connections that the session authenticated for another user are closed.
 * @throws Fault UNAUTHENTICATED when the session was destroyed, or the password changed, during the sign-in
 */
export async function setSessionUser(
  deps: SessionDeps,
  session: Session,
  signedIn: SignInResult | null,
): Promise<Session> {
  const now = new Date(deps.clock.now());
  await updateSessionUser(deps.store, session.id, signedIn, now);
  const user = signedIn?.user ?? null;
  const userId = user?.id ?? null;
  const { id: sessionId } = session;
  const left = session.userId !== null && session.userId !== userId;
  deps.sessionEvents.publish(
    left ? { kind: "session", sessionId } : { kind: "session changed", sessionId, userId },
  );
  const web = session.web && userId !== null;
  const changed = { ...session, userId, user, web, updatedAt: now };
  deps.activity.recordActivity(changed);
  return changed;
}

/** Signs a user in on a session (schema/rest/login.graphql). @throws Fault as {@link signIn} */
export async function login(
  deps: SessionDeps,
  session: Session,
  data: Omit<SignInData, "guest" | "fullName">,
  client: Pick<ClientInfo, "ip">,
): Promise<Session> {
  const application = await findApplication(deps, session.applicationId);
  const signedIn = await signIn(deps, application, data, client);
  return setSessionUser(deps, session, signedIn);
}

/** The User-Agent header as it is stored: cut to {@link USER_AGENT_MAX} characters, null if absent. */
export function storedUserAgent({ userAgent }: ClientInfo): string | null {
  return userAgent === undefined ? null : truncateText(userAgent, USER_AGENT_MAX);
}

/** Whether a session has expired. */
export function isExpired(
  deps: SessionDeps,
  session: Pick<Session, "id" | "sliding" | "expiresAt">,
): boolean {
  // The last use may not be stored yet.
  const used = session.sliding ? deps.activity.pendingLastUse(session.id) : undefined;
  const expiry = Math.max(
    session.expiresAt.getTime(),
    used === undefined ? 0 : used + SESSION_TTL_MS,
  );
  return expiry <= deps.clock.now();
}

/**
 * Deletes expired sessions, and nonces whose timestamps are no longer accepted. Idempotent, interruptible and
 * safe to run concurrently.
 */
export async function purgeSessions({
  store,
  clock,
  activity,
}: Pick<SessionDeps, "store" | "clock" | "activity">): Promise<void> {
  const now = clock.now();
  // Writes this node's pending last uses first; an expired session cannot be used in the meantime.
  await activity.flush();
  await purgeRows(store, EXPIRED_SESSIONS, new Date(now - SESSION_MARGIN_MS));
  await purgeRows(store, OLD_NONCES, Math.floor(now / 1000) - TIMESTAMP_TOLERANCE_S - NONCE_MARGIN);
}
