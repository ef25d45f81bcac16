import { Fault } from "../../../core/errors";
import { newId } from "../../../core/random";
import { type AuthLookups, viewerOf } from "../../../domain/access/request-auth";
import type { PageConnection } from "../../../domain/applications/web-origins";
import {
  displayName,
  type ParticipantIdentity,
} from "../../../domain/conferences/model/conference";
import type { SessionEvents } from "../../../domain/session-events/session-events";
import type { Session } from "../../../domain/sessions/session";
import type { RateLimits } from "../../../platform/limits/rate-limits";
import { JanusError } from "../protocol/janus-error";

/** What the authentication of legacy conference clients needs. */
export interface JanusAuthDeps {
  lookups: Pick<AuthLookups<Session>, "findSession" | "checkOrigin">;
  sessionEvents: Pick<SessionEvents, "track">;
  webOrigins: { track(page: PageConnection): () => void };
  limits: Pick<RateLimits, "countStreamSignIn">;
}

/** A client that wants a session. */
export interface JanusClient {
  token: string;
  /** The web page's origin, if a browser sent one. */
  origin: string | undefined;
}

/** An authenticated client. */
export interface AuthenticatedClient {
  identity: ParticipantIdentity;
  /** Id of the token's session. */
  sessionId: number;
  /** Stops watching the token's session. */
  untrack(): void;
}

/**
 * Authenticates a client by the token of a user's session.
 * @param onRevoked called when the session or user ends, or the application no longer allows the web origin
 * @throws JanusError 403 without a valid token of a user; Fault LIMITED, UNAVAILABLE
 */
export async function authenticateJanus(
  deps: JanusAuthDeps,
  { token, origin }: JanusClient,
  onRevoked: () => void,
): Promise<AuthenticatedClient> {
  const { lookups, limits } = deps;
  const session = await findUserSession(lookups, token);
  const { id: sessionId, applicationId, userId, user } = session;
  await lookups.checkOrigin(applicationId, origin);
  await limits.countStreamSignIn({ applicationId, userId }, "token");
  const untrack = track(deps, { sessionId, applicationId, userId, origin }, onRevoked);
  try {
    // Again: an end before the client was tracked did not reach it.
    const now = await findUserSession(lookups, token);
    if (now.userId !== userId) throw unauthorized();
    await lookups.checkOrigin(applicationId, origin);
  } catch (error) {
    untrack();
    throw error;
  }
  return {
    identity: {
      applicationId,
      number: userId,
      kind: "user",
      name: displayName({
        id: userId,
        fullName: user?.fullName ?? null,
        login: user?.login ?? null,
      }),
      sessionId,
      // Not an id of the protocol: others see it.
      device: newId(),
    },
    sessionId,
    untrack,
  };
}

async function findUserSession(
  lookups: JanusAuthDeps["lookups"],
  token: string,
): Promise<Session & { userId: number }> {
  try {
    const session = await lookups.findSession(token);
    const { userId } = viewerOf(session);
    if (userId === null) throw unauthorized();
    return { ...session, userId };
  } catch (error) {
    if (error instanceof Fault && error.code === "UNAUTHENTICATED") throw unauthorized();
    throw error;
  }
}

function track(
  { sessionEvents, webOrigins }: JanusAuthDeps,
  client: { sessionId: number; applicationId: number; userId: number; origin: string | undefined },
  onRevoked: () => void,
): () => void {
  const { origin, applicationId } = client;
  const untrack = sessionEvents.track({ ...client, close: onRevoked });
  if (origin === undefined) return untrack;
  const untrackOrigin = webOrigins.track({ applicationId, origin, disconnect: onRevoked });
  return () => {
    untrack();
    untrackOrigin();
  };
}

/** The same for a missing, unknown and expired token, and for one of a session without a user. */
export function unauthorized(): JanusError {
  return new JanusError(
    403,
    "Unauthorized request (wrong or missing secret/token)",
    "UNAUTHENTICATED",
  );
}
