import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on users that block them, or look at blocks. A function takes the store, or what it uses of a transaction,
 * and throws Fault UNAVAILABLE if the database cannot be reached.
 */

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
