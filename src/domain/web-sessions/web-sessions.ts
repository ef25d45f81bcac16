import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import type { UserViewer } from "../../core/viewer";
import { SESSION_TTL_MS, type Session } from "../sessions/session";
import type { SessionDeps } from "../sessions/session-deps";
import { type ClientInfo, isExpired, storedUserAgent } from "../sessions/sessions";
import { type SignedRequest, verifySignedRequest } from "../sessions/verify-signature";
import { bindSession, findUnboundSession, insertWebSession } from "../sessions/web-session-queries";

/** Lifetime of a long web session, used or not, in milliseconds. */
export const LONG_SESSION_TTL_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum accepted length of a token or code, in characters; valid ones have 43. */
const CODE_MAX = 255;

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
  const { application, nonce, timestamp } = await verifySignedRequest(
    deps,
    request,
    client.onApplication,
  );
  await deps.webOrigins.check(application.id, client.origin);
  // Counted after the signature is verified: application ids are public, so others could exhaust the limit.
  await deps.limits.countForApplication("session", application.id);
  const token = newToken();
  const bindingCode = newToken();
  const now = new Date(deps.clock.now());
  const sliding = !request.long;
  const expiresAt = new Date(now.getTime() + (request.long ? LONG_SESSION_TTL_MS : SESSION_TTL_MS));
  const id = await insertWebSession(deps.store, {
    applicationId: application.id,
    tokenHash: hashToken(token),
    nonce,
    ts: timestamp,
    bindingCodeHash: hashToken(bindingCode),
    sliding,
    expiresAt,
    createdAt: now,
    ip: client.ip,
    userAgent: storedUserAgent(client),
  });
  const session: Session = {
    id,
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
 * Binds an unbound web session to the signed-in user, by its binding code or its token. Of concurrent calls
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
  const found = await findUnboundSession(deps.store, viewer.applicationId, hashToken(code));
  if (found === null || isExpired(deps, found)) throw notFound();
  const at = new Date(deps.clock.now());
  if (!(await bindSession(deps.store, found.id, viewer, at))) throw notFound();
  const { userId } = viewer;
  deps.sessionEvents.publish({ kind: "session changed", sessionId: found.id, userId });
}

function notFound(): Fault {
  return new Fault("NOT_FOUND", "There is no web session that waits for this code");
}
