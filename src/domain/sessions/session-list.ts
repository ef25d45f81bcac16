import type { UserViewer } from "../../core/viewer";
import { cappedTotal, TOTAL_MAX, type Total } from "../paging/capped-total";
import { ID, listOrder, NEWEST_FIRST, TIME } from "../paging/list-order";
import { type Page, type PageRequest, readPage, takePage } from "../paging/page";
import { requireUser } from "../users/users";
import {
  countLiveSessions,
  deleteSessionsOfApiKey,
  deleteSessionsOfUser,
  END_BATCH,
  readLiveSessions,
} from "./application-session-queries";
import { SESSION_TTL_MS, type SessionEntry } from "./session";
import type { SessionDeps } from "./session-deps";
import {
  deleteOtherSessions,
  listSessionsOfUser,
  type StoredSessionEntry,
} from "./session-queries";
import { isExpired } from "./sessions";

/** Maximum number of entries in a list and in a page; the most recently used sessions are kept. */
export const LIST_MAX = 1_000;

/** A page of sessions. `total` counts the list lazily, and only once. */
export interface SessionPage extends Page<SessionEntry> {
  total(): Promise<Total>;
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
    .map((row) => toEntry(viewer, row, deps.activity.pendingLastUse(row.id)));
  // Activity that is not stored yet may change the order.
  const { compare, positionOf } = RECENTLY_USED_FIRST;
  entries.sort((a, b) => compare(positionOf(b), positionOf(a)));
  const total = { count: entries.length, exact: rows.length < LIST_MAX };
  return { ...takePage(entries, page, RECENTLY_USED_FIRST, LIST_MAX), total: async () => total };
}

/** Which live sessions of an application to list, and the page. */
export interface ApplicationSessionRequest extends PageRequest {
  userId?: string | null;
}

/**
 * The live sessions of an application or of one of its users, newest first. Does not check permissions.
 * @throws Fault NOT_FOUND for a user whom the application does not have; INVALID on the arguments of the page
 */
export async function listApplicationSessions(
  { store, clock }: Pick<SessionDeps, "store" | "clock">,
  applicationId: number,
  { userId, ...request }: ApplicationSessionRequest,
): Promise<SessionPage> {
  const user =
    typeof userId === "string" ? await requireUser({ store }, applicationId, userId) : null;
  const list = { applicationId, userId: user?.id ?? null, at: new Date(clock.now()) };
  const page = await readPage(request, NEWEST_FIRST, (range) =>
    readLiveSessions(store, list, range),
  );
  return { ...page, total: cappedTotal(() => countLiveSessions(store, list, TOTAL_MAX + 1)) };
}

/** The order of the sessions of the signed-in user. */
export const RECENTLY_USED_FIRST = listOrder(
  [TIME, ID],
  "descending",
  ({ lastActivityAt, id }: SessionEntry) => [lastActivityAt, id],
);

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

/**
 * Ends all sessions of a user, and closes all connections of the user on every node, those without a session too. Does
 * not check permissions.
 * @returns the number of sessions
 */
export async function endSessionsOfUser(
  { store, sessionEvents }: Pick<SessionDeps, "store" | "sessionEvents">,
  userId: number,
): Promise<number> {
  const count = await deleteSessionsOfUser(store, userId);
  sessionEvents.publish({ kind: "user", userId });
  return count;
}

/**
 * Ends the sessions that an API key created, and closes the connections that they authenticated, on every node. Repeatable
 * if it fails in between. Does not check permissions.
 * @returns the number of sessions
 */
export async function endSessionsOfApiKey(
  { store, sessionEvents }: Pick<SessionDeps, "store" | "sessionEvents">,
  apiKeyId: number,
): Promise<number> {
  let count = 0;
  for (;;) {
    const ended = await deleteSessionsOfApiKey(store, apiKeyId);
    for (const sessionId of ended) sessionEvents.publish({ kind: "session", sessionId });
    count += ended.length;
    if (ended.length < END_BATCH) return count;
  }
}

/** @param lastUse when it was last used, if that is not stored yet */
function toEntry(
  { applicationId, userId }: UserViewer,
  row: StoredSessionEntry,
  lastUse: number | undefined = 0,
): SessionEntry {
  const extended = row.sliding && lastUse > 0 ? lastUse + SESSION_TTL_MS : 0;
  return {
    id: row.id,
    applicationId,
    userId,
    origin: row.origin,
    apiKey: null,
    ip: row.ip ?? "",
    userAgent: row.userAgent ?? "",
    lastActivityAt: new Date(Math.max(row.lastActivityAt.getTime(), lastUse)),
    expiresAt: new Date(Math.max(row.expiresAt.getTime(), extended)),
  };
}
