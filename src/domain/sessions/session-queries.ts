import { Fault } from "../../core/errors";
import type { SessionOrigin } from "../../platform/store/generated/enums";
import { expiredRows } from "../../platform/store/rows/expired-rows";
import { exportedList } from "../../platform/store/rows/exported-list";
import type { Statement, Store, Transaction } from "../../platform/store/store";
import { unknownApiKey } from "../access/refusals";
import { refusedSignIn, type SignInResult } from "../users/credentials";
import { toUser, USER_COLUMNS, type UserRow } from "../users/user-queries";
import type { Session } from "./session";

/**
 * Statements on sessions. A function takes the store, or what it uses of a transaction, and throws Fault UNAVAILABLE
 * if the database cannot be reached.
 */

/** The columns of {@link SessionRow}, for `sessions` with alias `s` and `users` with alias `u`. */
export const SESSION_COLUMNS = `s.id AS s_id, s.application_id AS s_application_id, s.web, s.nonce,
  s.ts, s.sliding, s.expires_at, s.created_at AS s_created_at, s.updated_at AS s_updated_at,
  ${USER_COLUMNS}`;

/** A row of {@link SESSION_COLUMNS}; the user's columns are null if the session has no user. */
export interface SessionRow extends Omit<UserRow, "u_id"> {
  s_id: number;
  s_application_id: number;
  web: boolean;
  nonce: number;
  ts: number;
  sliding: boolean;
  expires_at: Date;
  s_created_at: Date;
  s_updated_at: Date;
  u_id: number | null;
}

/** Maps a row to a session. */
export function toSession(row: SessionRow): Session {
  return {
    id: row.s_id,
    applicationId: row.s_application_id,
    userId: row.u_id,
    web: row.web,
    nonce: row.nonce,
    ts: row.ts,
    sliding: row.sliding,
    expiresAt: row.expires_at,
    createdAt: row.s_created_at,
    updatedAt: row.s_updated_at,
    user: hasUser(row) ? toUser(row) : null,
  };
}

function hasUser(row: SessionRow): row is SessionRow & UserRow {
  return row.u_id !== null;
}

const FIND: Statement = {
  name: "find_session",
  text: `SELECT ${SESSION_COLUMNS} FROM sessions s LEFT JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1`,
};

/**
 * Locks user `$2`, provided that it is not blocked and that its password hash is still `$3` (null skips that
 * check). A concurrent password change or block waits for this lock, so it sees the new session and ends it.
 */
const LOCK_USER = `u AS MATERIALIZED (SELECT id FROM users
    WHERE id = $2 AND blocked_at IS NULL AND ($3::text IS NULL OR password_hash = $3) FOR SHARE)`;
const COLUMNS = `application_id, user_id, token_hash, nonce, ts, expires_at, last_activity_at,
      created_at, updated_at, ip, user_agent, sliding`;

const CREATE: Statement = {
  name: "create_session",
  text: `INSERT INTO sessions (${COLUMNS})
    VALUES ($1, NULL, $2, $3, $4, $5, $6, $6, $6, $7, $8, $9) RETURNING id`,
};
const CREATE_FOR_USER: Statement = {
  name: "create_user_session",
  // A revocation of the API key waits for the lock of its row, so it sees the new session and may end it.
  text: `WITH ${LOCK_USER},
      k AS MATERIALIZED (SELECT id FROM api_keys WHERE id = $13 FOR KEY SHARE),
      s AS (INSERT INTO sessions (${COLUMNS}, origin, api_key_id)
        SELECT $1::bigint, u.id, $4::bytea, $5::bigint, $6::bigint, $7::timestamptz, $8::timestamptz,
          $8, $8, $9::text, $10::text, $11::boolean, $12::text::session_origin, $13::bigint
        FROM u WHERE $13 IS NULL OR EXISTS (SELECT 1 FROM k) RETURNING id)
    SELECT (SELECT id FROM s) AS id, $13 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM k) AS "isRevoked"`,
};
const SET_USER: Statement = {
  name: "set_session_user",
  text: `WITH ${LOCK_USER}, moved AS (
      UPDATE sessions s SET user_id = u.id, updated_at = $4::timestamptz FROM u WHERE s.id = $1
      RETURNING s.id)
    SELECT (SELECT count(*) FROM u) AS users, (SELECT count(*) FROM moved) AS moved`,
};
const DELETE_OTHERS: Statement = {
  name: "destroy_other_sessions",
  text: "DELETE FROM sessions WHERE user_id = $1 AND id <> $2 RETURNING id",
};

const EXPORT: Statement = {
  name: "export_sessions",
  text: `SELECT to_jsonb(s) - 'token_hash' - 'binding_code_hash' AS row, jsonb_build_array(s.id) AS next
    FROM sessions s WHERE s.user_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3::int`,
};

/** Deletes a batch of sessions that expired. */
export const EXPIRED_SESSIONS = expiredRows("sessions");

/** The columns of a {@link StoredSessionEntry}. */
const ENTRY = {
  id: true,
  ip: true,
  userAgent: true,
  lastActivityAt: true,
  sliding: true,
  expiresAt: true,
  origin: true,
} as const;

/** A session as its user's list shows it. */
export interface StoredSessionEntry {
  id: number;
  ip: string | null;
  userAgent: string | null;
  lastActivityAt: Date;
  sliding: boolean;
  expiresAt: Date;
  origin: SessionOrigin;
}

/** What created a session. */
export interface SessionSource {
  origin: SessionOrigin;
  /** The API key; null for another origin. */
  apiKeyId: number | null;
}

/** A session to insert. */
export interface NewSession {
  applicationId: number;
  tokenHash: Uint8Array;
  nonce: number;
  /** The signed timestamp, in Unix seconds. */
  ts: number;
  expiresAt: Date;
  createdAt: Date;
  ip: string;
  userAgent: string | null;
  sliding: boolean;
}

/**
 * Inserts an application session (`signedIn` is null) or a user session.
 * @returns the session's id
 * @throws Fault FORBIDDEN when the user is blocked, UNAUTHENTICATED when the password changed during the sign-in, or when
 * the API key has been revoked, UNAVAILABLE when the user was deleted
 */
export async function insertSession(
  store: Pick<Store, "query">,
  session: NewSession,
  signedIn: SignInResult | null,
  { origin, apiKeyId }: SessionSource,
): Promise<number> {
  const { applicationId, tokenHash, nonce, ts, expiresAt, createdAt, ...rest } = session;
  const { ip, userAgent, sliding } = rest;
  const values = [tokenHash, nonce, ts, expiresAt, createdAt, ip, userAgent, sliding];
  if (signedIn === null) {
    const [created] = await store.query<{ id: number }>(CREATE, [applicationId, ...values]);
    if (created === undefined) throw new Error("the session was not inserted");
    return created.id;
  }
  const [row] = await store.query<{ id: number | null; isRevoked: boolean }>(CREATE_FOR_USER, [
    ...[applicationId, signedIn.user.id, signedIn.passwordHash],
    ...values,
    ...[origin, apiKeyId],
  ]);
  if (typeof row?.id === "number") return row.id;
  if (row?.isRevoked) throw unknownApiKey();
  throw await refusedSignIn(store, signedIn);
}

/**
 * Sets the user of a stored session, or removes it (`signedIn` is null).
 * @throws Fault FORBIDDEN when the user is blocked; UNAUTHENTICATED when the session no longer exists or the
 * password changed during the sign-in; UNAVAILABLE when the user was deleted
 */
export async function updateSessionUser(
  store: Pick<Store, "db" | "query">,
  sessionId: number,
  signedIn: SignInResult | null,
  at: Date,
): Promise<void> {
  if (signedIn === null) {
    // A web session becomes an application session: it cannot be bound again.
    const data = { userId: null, web: false, updatedAt: at };
    const moved = await store.db.session.updateMany({ where: { id: BigInt(sessionId) }, data });
    if (moved.count === 0) throw Fault.noSession();
    return;
  }
  const values = [sessionId, signedIn.user.id, signedIn.passwordHash, at];
  const [row] = await store.query<{ users: number; moved: number }>(SET_USER, values);
  if (row?.users === 0) throw await refusedSignIn(store, signedIn);
  if (row?.moved === 0) throw Fault.noSession();
}

/** Finds the session of a token, with its user; null if there is none. */
export async function findSessionByToken(
  { query }: Pick<Store, "query">,
  tokenHash: Buffer,
): Promise<Session | null> {
  const [row] = await query<SessionRow>(FIND, [tokenHash]);
  return row ? toSession(row) : null;
}

/** Lists up to `limit` sessions of a user that expire after a time, the most recently used first. */
export async function listSessionsOfUser(
  { db }: Pick<Store, "db">,
  userId: number,
  after: Date,
  limit: number,
): Promise<StoredSessionEntry[]> {
  const rows = await db.session.findMany({
    where: { userId: BigInt(userId), expiresAt: { gt: after } },
    orderBy: [{ lastActivityAt: "desc" }, { id: "desc" }],
    take: limit,
    select: ENTRY,
  });
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/** Deletes a session. */
export async function deleteSession({ db }: Pick<Store, "db">, id: number): Promise<void> {
  await db.session.deleteMany({ where: { id: BigInt(id) } });
}

/** Deletes all sessions of a user but one. @returns the ids of deleted sessions */
export async function deleteOtherSessions(
  { query }: Pick<Store, "query">,
  userId: number,
  exceptId: number,
): Promise<number[]> {
  const rows = await query<{ id: number }>(DELETE_OTHERS, [userId, exceptId]);
  return rows.map(({ id }) => id);
}

/** Deletes a user's sessions, all or all but one. */
export async function deleteSessions(
  { prisma }: Pick<Transaction, "prisma">,
  userId: number,
  exceptId?: number,
): Promise<void> {
  const others = exceptId === undefined ? {} : { NOT: { id: BigInt(exceptId) } };
  const where = { userId: BigInt(userId), ...others };
  await (await prisma()).session.deleteMany({ where });
}

/** The sessions of a user in an export. */
export const EXPORTED_SESSIONS = exportedList("sessions", EXPORT);
