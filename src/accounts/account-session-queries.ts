import { expiredRows } from "../store/rows/expired-rows";
import type { Statement, Store, Transaction } from "../store/store";

/**
 * Statements on account_sessions. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** An owner's session to insert. */
export interface NewAccountSession {
  accountId: number;
  /** The hash of the password that was verified. */
  passwordHash: string | null;
  tokenHash: Buffer;
  expiresAt: Date;
  createdAt: Date;
  ip: string;
  userAgent: string | null;
}

/** An owner's session. */
export interface AccountSession {
  id: number;
  accountId: number;
  lastActivityAt: Date;
}

/**
 * Inserts only if the password is still the one that was verified. A concurrent password change waits for the
 * lock, and then ends this session too.
 */
const CREATE: Statement = {
  name: "create_account_session",
  reason: "lock",
  text: `INSERT INTO account_sessions (account_id, token_hash, expires_at, last_activity_at, ip,
      user_agent, created_at)
    SELECT a.id, $2::bytea, $3::timestamptz, $4::timestamptz, $5::text, $6::text, $4
    FROM accounts a WHERE a.id = $1 AND a.password_hash = $7 FOR SHARE RETURNING id`,
};

/** Deletes a batch of sessions that expired. */
export const EXPIRED_ACCOUNT_SESSIONS = expiredRows("account_sessions");

/** Inserts a session. @returns false if the owner's password changed since it was verified */
export async function insertAccountSession(
  query: Store["query"],
  session: NewAccountSession,
): Promise<boolean> {
  const { accountId, tokenHash, expiresAt, createdAt, ip, userAgent, passwordHash } = session;
  const values = [accountId, tokenHash, expiresAt, createdAt, ip, userAgent, passwordHash];
  return (await query(CREATE, values)).length > 0;
}

/** Finds a session that has not expired; null if there is none. */
export async function findAccountSession(
  { db }: Pick<Store, "db">,
  tokenHash: Buffer,
  now: Date,
): Promise<AccountSession | null> {
  const row = await db.accountSession.findUnique({
    where: { tokenHash: new Uint8Array(tokenHash), expiresAt: { gt: now } },
    select: { id: true, accountId: true, lastActivityAt: true },
  });
  return row && { ...row, id: Number(row.id), accountId: Number(row.accountId) };
}

/** Sets the last activity and the expiry of a session, if it still exists. */
export async function touchAccountSession(
  { db }: Pick<Store, "db">,
  id: number,
  data: { lastActivityAt: Date; expiresAt: Date },
): Promise<void> {
  await db.accountSession.updateMany({ where: { id: BigInt(id) }, data });
}

/** Deletes a session. */
export async function deleteAccountSession({ db }: Pick<Store, "db">, id: number): Promise<void> {
  await db.accountSession.deleteMany({ where: { id: BigInt(id) } });
}

/** Deletes the sessions of an account's owner, all but one. */
export async function deleteOtherAccountSessions(
  { prisma }: Pick<Transaction, "prisma">,
  accountId: number,
  exceptId: number,
): Promise<void> {
  const { accountSession } = await prisma();
  const where = { accountId: BigInt(accountId), NOT: { id: BigInt(exceptId) } };
  await accountSession.deleteMany({ where });
}
