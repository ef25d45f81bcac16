import type { UserViewer } from "../core/viewer";
import { type ListOrder, type Page, type PageRequest, takePage } from "../paging/page";
import { SESSION_TTL_MS } from "./session";
import type { SessionDeps } from "./session-deps";
import {
  deleteOtherSessions,
  listSessionsOfUser,
  type StoredSessionEntry,
} from "./session-queries";
import { isExpired } from "./sessions";

/** Maximum number of entries in a list and in a page; the most recently used sessions are kept. */
export const LIST_MAX = 1_000;

/** A session in the list of its user (schema/rest/session-list.graphql). */
export interface SessionEntry {
  id: number;
  /** IP address that created the session. */
  ip: string;
  /** Empty if the client sent none. */
  userAgent: string;
  lastActivityAt: Date;
}

/** A page of a user's active sessions, and the number of all. */
export interface SessionPage extends Page<SessionEntry> {
  totalCount: number;
}

/**
 * The active sessions of the signed-in user, most recently used first. One indexed read.
 * @throws Fault INVALID on the arguments of the page
 */
export async function listSessions(
  deps: SessionDeps,
  viewer: UserViewer,
  page: PageRequest = {},
): Promise<SessionPage> {
  // The stored expiry may lag behind by one flush of the ActivityTracker, so this only excludes sessions that
  // have certainly expired.
  const earliest = new Date(deps.clock.now() - SESSION_TTL_MS);
  const rows = await listSessionsOfUser(deps.store, viewer.userId, earliest, LIST_MAX);
  const entries = rows
    .filter((row) => !isExpired(deps, row))
    .map((row) => toEntry(row, deps.activity.pendingLastUse(row.id)));
  // Activity that is not stored yet may change the order.
  entries.sort((a, b) => BY_LAST_USE.compare(a, { usedAt: b.lastActivityAt.getTime(), id: b.id }));
  return { ...takePage(entries, page, BY_LAST_USE, LIST_MAX), totalCount: entries.length };
}

/** The cursor of a session in the list: the time of its last use, and its id. */
export function sessionCursor({ id, lastActivityAt }: SessionEntry): string {
  return `${lastActivityAt.getTime()}-${id}`;
}

const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

/** Most recently used first. */
const BY_LAST_USE: ListOrder<SessionEntry, { usedAt: number; id: number }> = {
  decode(cursor) {
    const [, usedAt, id] = CURSOR.exec(cursor) ?? [];
    return usedAt === undefined ? null : { usedAt: Number(usedAt), id: Number(id) };
  },
  compare: ({ id, lastActivityAt }, position) =>
    position.usedAt - lastActivityAt.getTime() || position.id - id,
};

/**
 * Ends every other session of the signed-in user and closes the connections that they authenticated, on
 * every node.
 * @returns the number of sessions ended
 */
export async function destroyOtherSessions(
  deps: SessionDeps,
  { userId, sessionId }: UserViewer,
): Promise<number> {
  const ended = await deleteOtherSessions(deps.store, userId, sessionId);
  for (const id of ended) deps.sessionEvents.publish({ kind: "session", sessionId: id });
  return ended.length;
}

function toEntry(row: StoredSessionEntry, lastUse: number | undefined): SessionEntry {
  const written = row.lastActivityAt.getTime();
  return {
    id: row.id,
    ip: row.ip ?? "",
    userAgent: row.userAgent ?? "",
    lastActivityAt: new Date(Math.max(written, lastUse ?? 0)),
  };
}
