import type { Prisma } from "../../platform/store/generated/client";
import { PURGE_BATCH } from "../../platform/store/rows/expired-rows";
import { exportedList } from "../../platform/store/rows/exported-list";
import type { Statement, Store, Transaction } from "../../platform/store/store";
import type { User } from "./user";
import { toUser, USER_COLUMNS, type UserRow } from "./user-queries";

/**
 * Statements on users and user_tags that change, lock, export or delete them. A function takes the store, or what
 * it uses of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** A guest to insert. */
export interface NewGuest {
  applicationId: number;
  login: string;
  fullName: string | null;
  guestUntil: Date;
  createdAt: Date;
}

/** The columns that store a user's password, which are written together. */
export interface PasswordColumns {
  passwordHash: string;
  /** Whether the password has the form of a session's token. */
  passwordHasTokenForm: boolean;
}

/** Columns of a user to insert, without those of the password. */
export interface NewUser {
  applicationId: number;
  createdAt: Date;
  columns: Record<string, string | number | bigint | null>;
}

/** What a user can change, and how. */
export interface StoredUser {
  login: string | null;
  email: string | null;
  passwordHash: string | null;
  isGuest: boolean;
}

const CREATE_GUEST: Statement = {
  name: "create_guest",
  text: `WITH u AS (
      INSERT INTO users (application_id, login, login_key, full_name, is_guest, guest_until,
        created_at, updated_at)
      VALUES ($1, $2, $3, $4, true, $5, $6, $6) RETURNING *)
    SELECT ${USER_COLUMNS} FROM u`,
};

const EXPIRED_GUESTS: Statement = {
  name: "purge_guests",
  text: `SELECT id FROM users WHERE guest_until <= $1 ORDER BY guest_until LIMIT ${PURGE_BATCH}`,
};

const DELETE: Statement = {
  name: "remove_users",
  text: "DELETE FROM users WHERE id = ANY($1::bigint[])",
};

const LOCK: Statement = {
  name: "lock_user",
  text: "SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE",
};

const SET_TOKEN_FORM: Statement = {
  name: "set_password_token_form",
  text: "UPDATE users SET password_has_token_form = $3 WHERE id = $1 AND password_hash = $2",
};

const EXPORT_USER: Statement = {
  name: "export_user",
  text: "SELECT to_jsonb(u) - ARRAY['password_hash', 'password_has_token_form'] AS row FROM users u WHERE u.id = $1",
};

const EXPORT_TAGS: Statement = {
  name: "export_user_tags",
  text: `SELECT to_jsonb(t) AS row, jsonb_build_array(t.position) AS next FROM user_tags t
    WHERE t.user_id = $1 AND t.position > $2 ORDER BY t.position LIMIT $3::int`,
};

/** Inserts a guest. */
export async function insertGuest(
  { query }: Pick<Store, "query">,
  { applicationId, login, fullName, guestUntil, createdAt }: NewGuest,
): Promise<User> {
  const values = [applicationId, login, login.toLowerCase(), fullName, guestUntil, createdAt];
  const [row] = await query<UserRow>(CREATE_GUEST, values);
  if (row === undefined) throw new Error("the guest was not inserted");
  return toUser(row);
}

/** Finds up to {@link PURGE_BATCH} guests who expired by a time. @returns their ids */
export async function findExpiredGuests(
  { query }: Pick<Store, "query">,
  at: Date,
): Promise<number[]> {
  return (await query<{ id: number }>(EXPIRED_GUESTS, [at])).map(({ id }) => id);
}

/** Finds up to `limit` users of an application, by id. @returns their ids */
export async function findUserIds(
  { db }: Pick<Store, "db">,
  applicationId: number,
  limit: number,
): Promise<number[]> {
  const users = await db.user.findMany({
    where: { applicationId: BigInt(applicationId) },
    orderBy: { id: "asc" },
    take: limit,
    select: { id: true },
  });
  return users.map(({ id }) => Number(id));
}

/** Deletes users, and by cascade all rows that refer to them. */
export async function deleteUsers(query: Store["query"], ids: number[]): Promise<void> {
  await query(DELETE, [ids]);
}

/**
 * Locks a user's row against changes until the end of the transaction; other rows may still refer to it.
 * @returns whether the user exists
 */
export async function lockUser(query: Store["query"], id: number): Promise<boolean> {
  return (await query(LOCK, [id])).length > 0;
}

/**
 * Inserts a user.
 * @param password null for a user whom the application's backend signs in
 * @returns the user's id
 * @throws a unique violation if a value is taken
 */
export async function insertUserWithTags(
  { db }: { db: Pick<Store["db"], "user"> },
  applicationId: number,
  columns: NewUser["columns"],
  password: PasswordColumns | null,
  tags: readonly string[],
): Promise<number> {
  const application = BigInt(applicationId);
  const { id } = await db.user.create({
    data: {
      ...columns,
      ...password,
      applicationId: application,
      tags: { create: tagRows(application, tags) },
    },
    select: { id: true },
  });
  return Number(id);
}

/**
 * Inserts a user who signs up through a provider.
 * @returns the user's id
 * @throws a unique violation if a value is taken
 */
export async function insertUserRow(
  { prisma }: Pick<Transaction, "prisma">,
  { applicationId, createdAt, columns }: NewUser,
): Promise<number> {
  const { user } = await prisma();
  const application = BigInt(applicationId);
  const data = { ...columns, applicationId: application, createdAt, updatedAt: createdAt };
  return Number((await user.create({ data, select: { id: true } })).id);
}

/** Finds what a change of a user depends on; null if there is no such user. */
export function findStoredUser({ db }: Pick<Store, "db">, id: number): Promise<StoredUser | null> {
  const select = { login: true, email: true, passwordHash: true, isGuest: true };
  return db.user.findUnique({ where: { id: BigInt(id) }, select });
}

/**
 * Changes a user, whose row stays locked until the end of the transaction.
 * @param password the new password; null to keep the present one
 * @param verifiedHash the hash that the password must still have; undefined for any
 * @returns whether the user exists and has that hash
 * @throws a unique violation if a value is taken
 */
export async function writeUser(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
  data: Omit<Prisma.UserUpdateManyMutationInput, keyof PasswordColumns>,
  password: PasswordColumns | null,
  verifiedHash?: string | null,
): Promise<boolean> {
  const where = { id: BigInt(id), passwordHash: verifiedHash };
  return (
    (await (await prisma()).user.updateMany({ where, data: { ...data, ...password } })).count > 0
  );
}

/** Stores whether the password of a hash has the form of a session's token, unless the user has another hash by now. */
export async function writeTokenForm(
  { query }: Pick<Store, "query">,
  id: number,
  { passwordHash, passwordHasTokenForm }: PasswordColumns,
): Promise<void> {
  await query(SET_TOKEN_FORM, [id, passwordHash, passwordHasTokenForm]);
}

/** Replaces the tags of a user. */
export async function replaceTags(
  { prisma }: Pick<Transaction, "prisma">,
  { applicationId, userId }: { applicationId: number; userId: number },
  tags: readonly string[],
): Promise<void> {
  const { userTag } = await prisma();
  const id = BigInt(userId);
  await userTag.deleteMany({ where: { userId: id } });
  const rows = tagRows(BigInt(applicationId), tags);
  await userTag.createMany({ data: rows.map((row) => ({ ...row, userId: id })) });
}

/** The tags of a user in an export. */
export const EXPORTED_TAGS = exportedList("tags", EXPORT_TAGS);

/** Reads the row of a user for an export. @returns null if the user does not exist */
export async function exportUserRow(query: Store["query"], id: number): Promise<unknown> {
  const [found] = await query<{ row: unknown }>(EXPORT_USER, [id]);
  return found?.row ?? null;
}

function tagRows(applicationId: bigint, tags: readonly string[]) {
  return tags.map((tag, position) => ({ tag, position, applicationId }));
}
