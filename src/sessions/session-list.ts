import type { UserViewer } from "../core/viewer";
import { SESSION_TTL_MS } from "./session";
import type { SessionDeps } from "./session-deps";
import { isExpired } from "./sessions";

/** Maximum number of entries in a list; the most recently used sessions are kept. */
const LIST_MAX = 1_000;

// The stored expiry may lag behind by one flush of the ActivityTracker, so this only excludes sessions that
// have certainly expired.
const LIST = {
  name: "list_sessions",
  text: `SELECT id, ip, user_agent, last_activity_at, sliding, expires_at FROM sessions
    WHERE user_id = $1 AND expires_at > $2 ORDER BY last_activity_at DESC, id DESC LIMIT ${LIST_MAX}`,
};
const DESTROY_OTHERS = {
  name: "destroy_other_sessions",
  text: "DELETE FROM sessions WHERE user_id = $1 AND id <> $2 RETURNING id",
};

/** A session in the list of its user (schema/rest/session-list.graphql). */
export interface SessionEntry {
  id: number;
  /** IP address that created the session. */
  ip: string;
  /** Empty if the client sent none. */
  userAgent: string;
  lastActivityAt: Date;
}

interface SessionEntryRow {
  id: number;
  ip: string | null;
  user_agent: string | null;
  last_activity_at: Date;
  sliding: boolean;
  expires_at: Date;
}

/** The active sessions of the calling user, most recently used first. One indexed read. */
export async function listSessions(deps: SessionDeps, viewer: UserViewer): Promise<SessionEntry[]> {
  const earliest = new Date(deps.clock.now() - SESSION_TTL_MS);
  const rows = await deps.store.query<SessionEntryRow>(LIST, [viewer.userId, earliest]);
  const entries = rows
    .filter((row) => !isExpired(deps, { ...row, expiresAt: row.expires_at }))
    .map((row) => toEntry(row, deps.activity.pendingLastUse(row.id)));
  // Activity that is not stored yet may change the order.
  return entries.sort(
    (a, b) => b.lastActivityAt.getTime() - a.lastActivityAt.getTime() || b.id - a.id,
  );
}

/**
 * Ends every other session of the calling user and closes the connections that they authenticated, on
 * every node.
 * @returns the number of sessions ended
 */
export async function destroyOtherSessions(
  deps: SessionDeps,
  { userId, sessionId }: UserViewer,
): Promise<number> {
  const ended = await deps.store.query<{ id: number }>(DESTROY_OTHERS, [userId, sessionId]);
  for (const { id } of ended) deps.sessionEvents.publish({ kind: "session", sessionId: id });
  return ended.length;
}

function toEntry(row: SessionEntryRow, lastUse: number | undefined): SessionEntry {
  const written = row.last_activity_at.getTime();
  return {
    id: row.id,
    ip: row.ip ?? "",
    userAgent: row.user_agent ?? "",
    lastActivityAt: new Date(Math.max(written, lastUse ?? 0)),
  };
}
