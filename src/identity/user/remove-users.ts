import type { Identity } from "../identity";

/**
 * Deletes users with everything that names them: sessions, tags, identities, subscriptions, events,
 * password links, their part in calls. Then every node is told, and their connections close.
 */
export async function removeUsers(identity: Identity, userIds: number[]): Promise<void> {
  const ids = userIds.map(BigInt);
  const { db } = identity.store;
  await db.$transaction([
    db.call.updateMany({ where: { callerId: { in: ids } }, data: { callerId: null } }),
    db.user.deleteMany({ where: { id: { in: ids } } }),
  ]);
  for (const userId of userIds) await identity.endings.announce({ kind: "user", userId });
}
