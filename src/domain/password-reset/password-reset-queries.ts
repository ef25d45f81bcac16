import { expiredRows } from "../../platform/store/rows/expired-rows";
import { exportedList } from "../../platform/store/rows/exported-list";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on password_resets. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** A reset link to insert. */
export interface NewResetLink {
  userId: number;
  tokenHash: Buffer;
  expiresAt: Date;
  createdAt: Date;
  /** The address that the link is sent to. */
  email: string;
}

/** Maximum number of live links of a user; the oldest are deleted first. */
const LINKS_MAX = 3;

/**
 * Only while the user still has the address and is not blocked. A concurrent change of the address, and a block, wait
 * for this lock, so they see the link and delete it.
 */
const INSERT: Statement = {
  name: "reset_link",
  text: `INSERT INTO password_resets (user_id, token_hash, expires_at, created_at)
    SELECT id, $2::bytea, $3::timestamptz, $4::timestamptz FROM users
    WHERE id = $1 AND email = $5 AND blocked_at IS NULL FOR SHARE RETURNING id`,
};

const DELETE_OLD: Statement = {
  name: "reset_links_dropped",
  text: `DELETE FROM password_resets WHERE user_id = $1 AND (expires_at <= $2 OR id NOT IN
    (SELECT id FROM password_resets WHERE user_id = $1 ORDER BY id DESC LIMIT ${LINKS_MAX}))`,
};

const EXPORT: Statement = {
  name: "export_password_resets",
  text: `SELECT to_jsonb(r) - 'token_hash' AS row, jsonb_build_array(r.id) AS next FROM password_resets r
    WHERE r.user_id = $1 AND r.id > $2 ORDER BY r.id LIMIT $3::int`,
};

/** Deletes a batch of links that expired. */
export const EXPIRED_LINKS = expiredRows("password_resets");

/** Inserts a link, and deletes the user's expired and oldest ones. @returns false if the address changed or the user is blocked */
export async function insertResetLink(
  { query }: Pick<Store, "query">,
  { userId, tokenHash, expiresAt, createdAt, email }: NewResetLink,
): Promise<boolean> {
  const values = [userId, tokenHash, expiresAt, createdAt, email];
  if ((await query(INSERT, values)).length === 0) return false;
  await query(DELETE_OLD, [userId, createdAt]);
  return true;
}

/** Finds the user of a link that has not expired; null if there is none. */
export async function findUserOfLink(
  { db }: Pick<Store, "db">,
  tokenHash: Buffer,
  now: Date,
): Promise<number | null> {
  const row = await db.passwordReset.findUnique({
    where: { tokenHash: new Uint8Array(tokenHash), expiresAt: { gt: now } },
    select: { userId: true },
  });
  return row && Number(row.userId);
}

/** Deletes a link that has not expired. @returns whether there was one */
export async function consumeResetLink(
  { prisma }: Pick<Transaction, "prisma">,
  tokenHash: Buffer,
  now: Date,
): Promise<boolean> {
  const { passwordReset } = await prisma();
  const where = { tokenHash: new Uint8Array(tokenHash), expiresAt: { gt: now } };
  return (await passwordReset.deleteMany({ where })).count > 0;
}

/** Deletes all links of a user: they may have gone to an address that is no longer the user's. */
export async function deleteResetLinks(
  { prisma }: Pick<Transaction, "prisma">,
  userId: number,
): Promise<void> {
  await (await prisma()).passwordReset.deleteMany({ where: { userId: BigInt(userId) } });
}

/** The links of a user in an export. */
export const EXPORTED_RESET_LINKS = exportedList("password_resets", EXPORT);
