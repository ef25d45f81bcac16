import { Fault } from "../core/errors";
import { hashToken, newToken } from "../core/random";
import type { UserViewer } from "../core/viewer";
import { SESSION_TTL_MS, type Session } from "../sessions/session";
import type { SessionDeps } from "../sessions/session-deps";
import { type ClientInfo, isExpired, storedUserAgent } from "../sessions/sessions";
import { type SignedRequest, verifySignedRequest } from "../sessions/verify-signature";

/** Lifetime of a long web session, used or not, in milliseconds. */
export const LONG_SESSION_TTL_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum accepted length of a token or code, in characters; valid ones have 43. */
const CODE_MAX = 255;

const CREATE = {
  name: "create_web_session",
  text: `INSERT INTO sessions (application_id, token_hash, nonce, ts, web, binding_code_hash, sliding,
      expires_at, last_activity_at, ip, user_agent, created_at, updated_at)
    VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8, $9, $10, $8, $8) RETURNING id`,
};
/** Web sessions that were never bound: binding removes the code, and signing out does not restore it. */
const UNBOUND = "s.web AND s.user_id IS NULL AND s.binding_code_hash IS NOT NULL";
const FIND_UNBOUND = {
  name: "find_unbound_session",
  text: `SELECT s.id, s.sliding, s.expires_at FROM sessions s
    WHERE (s.binding_code_hash = $1 OR s.token_hash = $1) AND s.application_id = $2 AND ${UNBOUND}`,
};
const BIND = {
  name: "bind_session",
  // Locks the user and then the caller's own session. A concurrent change that ends the user's sessions, such
  // as a new password, waits for these locks, so it sees the bound session and ends it too.
  text: `WITH u AS MATERIALIZED (SELECT id FROM users WHERE id = $2 FOR SHARE),
      own AS MATERIALIZED (SELECT s.id FROM sessions s JOIN u ON u.id = s.user_id
        WHERE s.id = $4 FOR SHARE OF s)
    UPDATE sessions s SET user_id = $2, binding_code_hash = NULL, updated_at = $3
    FROM own WHERE s.id = $1 AND ${UNBOUND} RETURNING s.id`,
};

/**
 * Creates an unbound web session from a signed request (schema/rest/web-session.graphql).
 * @returns the session, its token and its one-time binding code; only their hashes are stored. A third
 * party who sees the code can bind the session to their own user but cannot use the session
 * @throws Fault INVALID for a bad signature, timestamp, nonce or application; FORBIDDEN from a web origin
 * that the application does not allow; LIMITED. Except for INVALID, the nonce is consumed.
 */
export async function createWebSession(
  deps: SessionDeps,
  request: SignedRequest & { long: boolean },
  client: ClientInfo,
): Promise<{ session: Session; token: string; bindingCode: string }> {
  const { application, nonce, timestamp } = await verifySignedRequest(deps, request);
  await deps.webOrigins.check(application.id, client.origin);
  // Counted after the signature is verified: application ids are public, so others could exhaust the limit.
  await deps.limits.countForApplication("session", application.id);
  const token = newToken();
  const bindingCode = newToken();
  const now = new Date(deps.clock.now());
  const sliding = !request.long;
  const expiresAt = new Date(now.getTime() + (request.long ? LONG_SESSION_TTL_MS : SESSION_TTL_MS));
  const [row] = await deps.store.query<{ id: number }>(CREATE, [
    application.id,
    hashToken(token),
    nonce,
    timestamp,
    hashToken(bindingCode),
    sliding,
    expiresAt,
    now,
    client.ip,
    storedUserAgent(client),
  ]);
  const session: Session = {
    id: row!.id,
    applicationId: application.id,
    userId: null,
    web: true,
    nonce,
    ts: timestamp,
    sliding,
    expiresAt,
    createdAt: now,
    updatedAt: now,
    user: null,
  };
  return { session, token, bindingCode };
}

/**
 * Binds an unbound web session to the calling user, by its binding code or its token. Of concurrent calls
 * exactly one succeeds. A session is never bound twice, not even after its user has signed out.
 * @throws Fault FORBIDDEN for a guest; NOT_FOUND, the same for every reason, when the application has no
 * such unbound session
 */
export async function bindWebSession(
  deps: SessionDeps,
  viewer: UserViewer,
  code: string,
): Promise<void> {
  if (viewer.kind === "guest") throw new Fault("FORBIDDEN", "A guest cannot sign a web client in");
  if (code.length > CODE_MAX) throw notFound();
  const [found] = await deps.store.query<{ id: number; sliding: boolean; expires_at: Date }>(
    FIND_UNBOUND,
    [hashToken(code), viewer.applicationId],
  );
  if (!found || isExpired(deps, { ...found, expiresAt: found.expires_at })) throw notFound();
  const now = new Date(deps.clock.now());
  const bound = await deps.store.query(BIND, [found.id, viewer.userId, now, viewer.sessionId]);
  if (bound.length === 0) throw notFound();
  const { userId } = viewer;
  deps.sessionEvents.publish({ kind: "session changed", sessionId: found.id, userId });
}

function notFound(): Fault {
  return new Fault("NOT_FOUND", "There is no web session that waits for this code");
}
