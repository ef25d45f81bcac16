import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import type { UserViewer } from "../../core/viewer";
import type { Identity } from "../identity";
import { SESSION_MS, type Session } from "../session/session";
import { isOver, keptUserAgent, type Origin } from "../session/sessions";
import { checkSigned, type SignedRequest } from "../session/signing";

/** Milliseconds that a long web session lives, whether it is used or not. */
export const LONG_SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** Characters of a token or code that are looked at: ours are 43. */
const CODE_MAX = 255;

const CREATE = {
  name: "create_web_session",
  text: `INSERT INTO sessions (application_id, token_hash, nonce, ts, web, binding_code_hash, sliding,
      expires_at, last_activity_at, ip, user_agent, created_at, updated_at)
    VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8, $9, $10, $8, $8) RETURNING id`,
};
/** A web session that was never bound: binding takes its code away, and signing out gives none back. */
const WAITS = "s.web AND s.user_id IS NULL AND s.binding_code_hash IS NOT NULL";
const FIND_UNBOUND = {
  name: "find_unbound_session",
  text: `SELECT s.id, s.sliding, s.expires_at FROM sessions s
    WHERE (s.binding_code_hash = $1 OR s.token_hash = $1) AND s.application_id = $2 AND ${WAITS}`,
};
const BIND = {
  name: "bind_session",
  // While the caller's own session is there, the user first: who ends that at this moment, as with a
  // new password, waits, and then finds the bound one to end too.
  text: `WITH u AS MATERIALIZED (SELECT id FROM users WHERE id = $2 FOR SHARE),
      own AS MATERIALIZED (SELECT s.id FROM sessions s JOIN u ON u.id = s.user_id
        WHERE s.id = $4 FOR SHARE OF s)
    UPDATE sessions s SET user_id = $2, binding_code_hash = NULL, updated_at = $3
    FROM own WHERE s.id = $1 AND ${WAITS} RETURNING s.id`,
};

/**
 * Creates a web session from a signed request: one that waits for a user to be bound to it
 * (interface.md "POST /session/web").
 * @returns the session, its token, and the code that binds it once; both are told this once and
 * stored as hashes. Who photographs the code can bind the session to themselves, not inherit it
 * @throws Fault INVALID for a bad signature, clock, nonce or application, FORBIDDEN from a web page that
 * the application does not admit, LIMITED for too many; the nonce is used up by then
 */
export async function createWebSession(
  identity: Identity,
  request: SignedRequest & { long: boolean },
  origin: Origin,
): Promise<{ session: Session; token: string; bindingCode: string }> {
  const { application, nonce, timestamp } = await checkSigned(identity, request);
  await identity.origins.check(application.id, origin.origin);
  // Counted once the signature is right: an application's number is no secret.
  await identity.limits.application("session", application.id);
  const token = newToken();
  const bindingCode = newToken();
  const now = new Date(identity.clock.now());
  const sliding = !request.long;
  const expiresAt = new Date(now.getTime() + (request.long ? LONG_SESSION_MS : SESSION_MS));
  const [row] = await identity.store.query<{ id: number }>(CREATE, [
    application.id,
    hashToken(token),
    nonce,
    timestamp,
    hashToken(bindingCode),
    sliding,
    expiresAt,
    now,
    origin.ip,
    keptUserAgent(origin),
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
 * Gives a web session that nobody has yet to the calling user, by its binding code or its token. Of
 * several who try at once, one does, and nobody ever again, also once that user has signed out.
 * @throws Fault FORBIDDEN to a guest, NOT_FOUND, the same whatever the reason, when there is no such
 * session of the application that waits
 */
export async function bindWebSession(
  identity: Identity,
  viewer: UserViewer,
  code: string,
): Promise<void> {
  if (viewer.kind === "guest") throw new Fault("FORBIDDEN", "A guest cannot sign a web client in");
  if (code.length > CODE_MAX) throw noneWaits();
  const [found] = await identity.store.query<{ id: number; sliding: boolean; expires_at: Date }>(
    FIND_UNBOUND,
    [hashToken(code), viewer.applicationId],
  );
  if (!found || isOver(identity, { ...found, expiresAt: found.expires_at })) throw noneWaits();
  const now = new Date(identity.clock.now());
  const bound = await identity.store.query(BIND, [found.id, viewer.userId, now, viewer.sessionId]);
  if (bound.length === 0) throw noneWaits();
  const { userId } = viewer;
  identity.endings.announce({ kind: "session changed", sessionId: found.id, userId });
}

function noneWaits(): Fault {
  return new Fault("NOT_FOUND", "There is no web session that waits for this code");
}
