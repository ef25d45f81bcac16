import { Fault } from "../core/errors";
import { parseId } from "../core/text/ids";
import {
  deleteSessionOfApplication,
  deleteSessionsOfUser,
} from "../sessions/application-session-queries";
import type { AdminDeps } from "./admin-deps";

/**
 * Ends a session of an application for its owner, and closes the connections that it authenticated, on every node.
 * Does not check permissions.
 * @returns the session's id
 * @throws Fault NOT_FOUND
 */
export async function endSession(
  { store, sessionEvents }: Pick<AdminDeps, "store" | "sessionEvents">,
  applicationId: number,
  id: string,
): Promise<number> {
  const sessionId = parseId(id);
  if (sessionId === null || !(await deleteSessionOfApplication(store, applicationId, sessionId))) {
    throw new Fault("NOT_FOUND", "There is no such session");
  }
  sessionEvents.publish({ kind: "session", sessionId });
  return sessionId;
}

/**
 * Ends all sessions of a user for the owner of its application, and closes all connections of the user on every node,
 * those without a session too. Does not check permissions.
 * @returns the number of sessions
 */
export async function endSessionsOfUser(
  { store, sessionEvents }: Pick<AdminDeps, "store" | "sessionEvents">,
  userId: number,
): Promise<number> {
  const count = await deleteSessionsOfUser(store, userId);
  sessionEvents.publish({ kind: "user", userId });
  return count;
}
