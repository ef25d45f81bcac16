import type { Statement, Transaction } from "../store/store";
import type { Query, UserData, UserDeps } from "./user-deps";

const EXPORT_USER: Statement = {
  name: "export_user",
  text: "SELECT to_jsonb(u) - 'password_hash' AS row FROM users u WHERE u.id = $1",
};
const EXPORT_TAGS: Statement = {
  name: "export_user_tags",
  text: "SELECT to_jsonb(t) AS row FROM user_tags t WHERE t.user_id = $1 ORDER BY t.position",
};
const REMOVE: Statement = {
  name: "remove_users",
  text: "DELETE FROM users WHERE id = ANY($1::bigint[])",
};

/** Runs a statement that selects `row` as JSON. @returns the rows */
export async function exportRows(
  query: Query,
  statement: Statement,
  values: unknown[],
): Promise<unknown[]> {
  return (await query<{ row: unknown }>(statement, values)).map(({ row }) => row);
}

/** The export of this module; deleting a user's row cascades to the tags. */
export const ownUserData: UserData = {
  async exportUser(query, userId) {
    const [user] = await exportRows(query, EXPORT_USER, [userId]);
    return { user, tags: await exportRows(query, EXPORT_TAGS, [userId]) };
  },
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
  await deps.store.transaction(async ({ query }) => {
    for (const { eraseUsers } of deps.userData) await eraseUsers?.(query, userIds);
    await query(REMOVE, [userIds]);
  });
  for (const userId of userIds) deps.sessionEvents.publish({ kind: "user", userId });
}

/** Number of users that one transaction of {@link removeAllUsers} deletes. */
const WINDOW = 500;

/** Deletes all users of an application, as {@link removeUsers} does. May be interrupted and repeated. */
export async function removeAllUsers(
  deps: Pick<UserDeps, "store" | "sessionEvents" | "userData">,
  applicationId: number,
): Promise<void> {
  for (;;) {
    const users = await deps.store.db.user.findMany({
      where: { applicationId: BigInt(applicationId) },
      orderBy: { id: "asc" },
      take: WINDOW,
      select: { id: true },
    });
    if (users.length === 0) return;
    await removeUsers(
      deps,
      users.map(({ id }) => Number(id)),
    );
  }
}

/** Columns of a user to insert. */
export interface NewUser {
  applicationId: bigint;
  createdAt: Date;
  [column: string]: string | number | bigint | Date | null;
}

/**
 * Inserts a user that signed up through a provider.
 * @returns the user's id
 * @throws Prisma's unique violation if a value is taken
 */
export async function insertUserRow(
  { prisma }: Transaction,
  { applicationId, createdAt, ...columns }: NewUser,
): Promise<bigint> {
  const data = { ...columns, applicationId, createdAt, updatedAt: createdAt };
  const { user } = await prisma();
  return (await user.create({ data, select: { id: true } })).id;
}

const LOCK: Statement = {
  name: "lock_user",
  text: "SELECT id FROM users WHERE id = $1 FOR UPDATE",
};

/** Locks a user's row until the end of the transaction. */
export async function lockUser({ query }: Transaction, id: number): Promise<void> {
  await query(LOCK, [id]);
}

/** Sets the hash of a user's password. */
export async function setPasswordHash(
  { prisma }: Transaction,
  id: bigint,
  passwordHash: string,
  updatedAt: Date,
): Promise<void> {
  const data = { passwordHash, updatedAt };
  await (await prisma()).user.update({ where: { id }, data, select: { id: true } });
}
