import type { Statement, Store, Transaction } from "../store/store";
import type { User } from "./user";
import { toUser, USER_COLUMNS, type UserRow } from "./user-queries";

/**
 * Statements on users for the owners of their applications, and those that block users. A function takes the store,
 * or what it uses of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** A user as the owner of its application sees it. */
export interface OwnedUser extends User {
  /** Since when the user is blocked; null while the user may sign in. */
  blockedAt: Date | null;
  blockReason: string | null;
}

/** The columns of an {@link OwnedUserRow}, from the table `users` with the alias `u`. */
export const OWNED_USER_COLUMNS = `${USER_COLUMNS}, u.blocked_at, u.block_reason`;

/** A row of {@link OWNED_USER_COLUMNS}. */
export interface OwnedUserRow extends UserRow {
  blocked_at: Date | null;
  block_reason: string | null;
}

/** Converts a row to a user. */
export function toOwnedUser(row: OwnedUserRow): OwnedUser {
  return { ...toUser(row), blockedAt: row.blocked_at, blockReason: row.block_reason };
}

const FIND: Statement = {
  name: "owner_user",
  text: `SELECT ${OWNED_USER_COLUMNS} FROM users u WHERE u.application_id = $1 AND u.id = $2`,
};

const BLOCK: Statement = {
  name: "block_user",
  text: `UPDATE users SET blocked_at = coalesce(blocked_at, $3), block_reason = $4
    WHERE application_id = $1 AND id = $2 RETURNING id`,
};

const UNBLOCK: Statement = {
  name: "unblock_user",
  text: `UPDATE users SET blocked_at = NULL, block_reason = NULL
    WHERE application_id = $1 AND id = $2 RETURNING id`,
};

const LOCK_UNBLOCKED: Statement = {
  name: "lock_unblocked_user",
  text: "SELECT id FROM users WHERE id = $1 AND blocked_at IS NULL FOR SHARE",
};

const IS_BLOCKED: Statement = {
  name: "user_is_blocked",
  text: "SELECT 1 AS one FROM users WHERE id = $1 AND blocked_at IS NOT NULL",
};

/** A user of an application. */
export interface UserOfApplication {
  applicationId: number;
  userId: number;
}

/** Finds a user of an application; null if there is none. */
export async function findOwnedUser(
  { query }: Pick<Store, "query">,
  { applicationId, userId }: UserOfApplication,
): Promise<OwnedUser | null> {
  const [row] = await query<OwnedUserRow>(FIND, [applicationId, userId]);
  return row ? toOwnedUser(row) : null;
}

/**
 * Blocks a user, whose row stays locked until the end of the transaction. A blocked user keeps the time of its block
 * and gets the new reason.
 * @returns whether the application has the user
 */
export async function writeBlock(
  { query }: Pick<Transaction, "query">,
  { applicationId, userId }: UserOfApplication,
  at: Date,
  reason: string | null,
): Promise<boolean> {
  return (await query(BLOCK, [applicationId, userId, at, reason])).length > 0;
}

/** Unblocks a user. @returns whether the application has the user */
export async function deleteBlock(
  { query }: Pick<Store, "query">,
  { applicationId, userId }: UserOfApplication,
): Promise<boolean> {
  return (await query(UNBLOCK, [applicationId, userId])).length > 0;
}

/**
 * Locks a user who is not blocked until the end of the transaction. A block at the same time waits for the lock, so it
 * sees what the transaction has written for the user.
 * @returns whether there is such a user
 */
export async function lockUnblockedUser(
  { query }: Pick<Transaction, "query">,
  userId: number,
): Promise<boolean> {
  return (await query(LOCK_UNBLOCKED, [userId])).length > 0;
}

/** Whether a user is blocked. */
export async function isBlocked({ query }: Pick<Store, "query">, userId: number): Promise<boolean> {
  return (await query(IS_BLOCKED, [userId])).length > 0;
}
