import {
  DestroyOtherSessionsDocument,
  ListSessionsDocument,
  type ListSessionsQuery,
  type ListSessionsQueryVariables,
} from "../generated/operations.ts";
import type { Session } from "../session/session.ts";

/** A page of the user's sessions. The next one begins after `pageInfo.endCursor`. */
export type SessionPage = ListSessionsQuery["sessions"];

/** A session of the user, on this device or another one. */
export type SessionEntry = SessionPage["nodes"][number];

/**
 * Lists the sessions of the signed-in user: where they were created and last used.
 * @example
 * ```ts
 * import { listSessions } from "@signalbox/client";
 *
 * const { nodes } = await listSessions(signalbox.session);
 * for (const { current, userAgent } of nodes) console.log(current ? "here" : userAgent);
 * ```
 * @throws SignalboxError
 */
export async function listSessions(
  session: Session,
  variables: ListSessionsQueryVariables = {},
): Promise<SessionPage> {
  return (await session.execute(ListSessionsDocument, variables)).sessions;
}

/**
 * Ends all sessions of the signed-in user but this one, with their connections.
 * @example
 * ```ts
 * import { destroyOtherSessions } from "@signalbox/client";
 *
 * console.log(await destroyOtherSessions(signalbox.session), "other devices are signed out");
 * ```
 * @returns how many
 * @throws SignalboxError
 */
export async function destroyOtherSessions(session: Session): Promise<number> {
  return (await session.execute(DestroyOtherSessionsDocument, {})).destroyOtherSessions
    .destroyedCount;
}
