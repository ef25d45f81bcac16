import type { MemberRole } from "../../core/viewer";
import { expiredRows } from "../../platform/store/rows/expired-rows";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on account_sessions. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** A member's session to insert. */
export interface NewAccountSession {
  memberId: number;
  /** The hash of the password that was verified. */
  passwordHash: string;
  tokenHash: Buffer;
  expiresAt: Date;
  createdAt: Date;
  ip: string;
  userAgent: string | null;
}

/** A session with its member. */
export interface AccountSession {
  id: number;
  memberId: number;
  accountId: number;
  email: string;
  role: MemberRole;
  lastActivityAt: Date;
}

interface SessionRow {
  id: number;
  last_activity_at: Date;
  member_id: number;
  account_id: number;
  email: string;
  role: MemberRole;
}

/**
 * Inserts only if the password is still the one that was verified. A concurrent password change waits for the
 * lock, and then ends this session too.
 */
const CREATE: Statement = {
  name: "create_account_session",
  text: `INSERT INTO account_sessions (member_id, token_hash, expires_at, last_activity_at, ip,
      user_agent, created_at)
    SELECT m.id, $2::bytea, $3::timestamptz, $4::timestamptz, $5::text, $6::text, $4
    FROM account_members m WHERE m.id = $1 AND m.password_hash = $7 FOR SHARE RETURNING id`,
};

const FIND: Statement = {
  name: "find_account_session",
  text: `SELECT s.id, s.last_activity_at, s.member_id, m.account_id, m.email, m.role
    FROM account_sessions s JOIN account_members m ON m.id = s.member_id
    WHERE s.token_hash = $1 AND s.expires_at > $2`,
};

const LIVE: Statement = {
  name: "live_account_sessions",
  text: `SELECT s.id, m.role FROM account_sessions s JOIN account_members m ON m.id = s.member_id
    WHERE s.id = ANY($1::bigint[]) AND s.expires_at > $2`,
};

/** Deletes a batch of sessions that expired. */
export const EXPIRED_ACCOUNT_SESSIONS = expiredRows("account_sessions");

/** Inserts a session. @returns its id, or null if the member's password changed since it was verified */
export async function insertAccountSession(
  query: Store["query"],
  session: NewAccountSession,
): Promise<number | null> {
  const { memberId, tokenHash, expiresAt, createdAt, ip, userAgent, passwordHash } = session;
  const values = [memberId, tokenHash, expiresAt, createdAt, ip, userAgent, passwordHash];
  const [created] = await query<{ id: number }>(CREATE, values);
  return created?.id ?? null;
}

/** Finds a session that has not expired; null if there is none. */
export async function findAccountSession(
  { query }: Pick<Store, "query">,
  tokenHash: Buffer,
  now: Date,
): Promise<AccountSession | null> {
  const [row] = await query<SessionRow>(FIND, [tokenHash, now]);
  if (row === undefined) return null;
  const { id, last_activity_at: lastActivityAt, email, role } = row;
  return { id, lastActivityAt, memberId: row.member_id, accountId: row.account_id, email, role };
}

/** The roles of the members of sessions that have not expired, by the session's id. */
export async function findLiveAccountSessions(
  { query }: Pick<Store, "query">,
  ids: number[],
  now: Date,
): Promise<Map<number, MemberRole>> {
  const rows = await query<{ id: number; role: MemberRole }>(LIVE, [ids, now]);
  return new Map(rows.map(({ id, role }) => [id, role]));
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

/** Deletes all sessions of a member. @param store the store, or the client of a transaction as `db` */
export async function deleteAccountSessions(
  { db }: { db: Pick<Store["db"], "accountSession"> },
  memberId: number,
): Promise<void> {
  await db.accountSession.deleteMany({ where: { memberId: BigInt(memberId) } });
}

/** Deletes the sessions of a member, all but one. */
export async function deleteOtherAccountSessions(
  { prisma }: Pick<Transaction, "prisma">,
  memberId: number,
  exceptId: number,
): Promise<void> {
  const { accountSession } = await prisma();
  const where = { memberId: BigInt(memberId), NOT: { id: BigInt(exceptId) } };
  await accountSession.deleteMany({ where });
}
