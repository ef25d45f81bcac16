import type { SessionEvent } from "../session-events/session-events";
import { deleteUsers, EXPORTED_TAGS, findUserIds } from "./user-change-queries";
import type { UserData, UserDeps } from "./user-deps";

/** The export of this module; deleting a user's row cascades to the tags. */
export const ownUserData: UserData = {
  exports: [EXPORTED_TAGS],
};

/**
 * Deletes users and all data that refers to them: sessions, tags, identities, subscriptions, events, password
 * reset links, their participation in calls, and the pushes of these calls. A call remains for its other
 * participants, without the deleted user, and is deleted after its last one. Then notifies every node, which
 * closes the users' connections.
 */
export async function removeUsers(
  deps: Pick<UserDeps, "store" | "sessionEvents" | "userData">,
  userIds: number[],
): Promise<void> {
  const events = await deps.store.transaction(async ({ query }) => {
    const ended: SessionEvent[] = userIds.map((userId) => ({ kind: "user", userId }));
    for (const { eraseUsers } of deps.userData) {
      ended.push(...((await eraseUsers?.(query, userIds)) ?? []));
    }
    await deleteUsers(query, userIds);
    return ended;
  });
  for (const event of events) deps.sessionEvents.publish(event);
}

/** Number of users that one transaction of {@link removeAllUsers} deletes. */
const WINDOW = 500;

/** Deletes all users of an application, as {@link removeUsers} does. May be interrupted and repeated. */
export async function removeAllUsers(
  deps: Pick<UserDeps, "store" | "sessionEvents" | "userData">,
  applicationId: number,
): Promise<void> {
  for (;;) {
    const ids = await findUserIds(deps.store, applicationId, WINDOW);
    if (ids.length === 0) return;
    await removeUsers(deps, ids);
  }
}
