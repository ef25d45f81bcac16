import { Fault } from "../core/errors";
import type { Transaction } from "../store/store";
import { changedDuringSignIn, type SignInResult } from "../users/credentials";
import { exportRows } from "../users/user-data";
import type { UserData } from "../users/user-deps";
import type { SessionDeps } from "./session-deps";

/**
 * Locks user `$2`, provided that its password hash is still `$3` (null skips that check). A concurrent
 * password change waits for this lock, so it sees the new session and ends it.
 */
const LOCK_USER = `u AS MATERIALIZED (SELECT id FROM users
    WHERE id = $2 AND ($3::text IS NULL OR password_hash = $3) FOR SHARE)`;
const COLUMNS = `application_id, user_id, token_hash, nonce, ts, expires_at, last_activity_at,
      created_at, updated_at, ip, user_agent, sliding`;

const CREATE = {
  name: "create_session",
  text: `INSERT INTO sessions (${COLUMNS})
    VALUES ($1, NULL, $2, $3, $4, $5, $6, $6, $6, $7, $8, $9) RETURNING id`,
};
const CREATE_FOR_USER = {
  name: "create_user_session",
  text: `WITH ${LOCK_USER} INSERT INTO sessions (${COLUMNS})
    SELECT $1::bigint, u.id, $4::bytea, $5::bigint, $6::bigint, $7::timestamptz, $8::timestamptz,
      $8, $8, $9::text, $10::text, $11::boolean FROM u RETURNING id`,
};
const SET_USER = {
  name: "set_session_user",
  text: `WITH ${LOCK_USER}, moved AS (
      UPDATE sessions s SET user_id = u.id, updated_at = $4::timestamptz FROM u WHERE s.id = $1
      RETURNING s.id)
    SELECT (SELECT count(*) FROM u) AS users, (SELECT count(*) FROM moved) AS moved`,
};
const UNSET_USER = {
  name: "unset_session_user",
  // A web session becomes an application session: it cannot be bound again.
  text: "UPDATE sessions SET user_id = NULL, web = false, updated_at = $2 WHERE id = $1 RETURNING id",
};

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
 * @throws Fault UNAUTHENTICATED when the password changed during the sign-in, UNAVAILABLE when the user
 * was deleted
 */
export async function insertSession(
  { store }: SessionDeps,
  session: NewSession,
  signedIn: SignInResult | null,
): Promise<number> {
  const { applicationId, tokenHash, nonce, ts, expiresAt, createdAt, ...rest } = session;
  const { ip, userAgent, sliding } = rest;
  const values = [tokenHash, nonce, ts, expiresAt, createdAt, ip, userAgent, sliding];
  const [row] =
    signedIn === null
      ? await store.query<{ id: number }>(CREATE, [applicationId, ...values])
      : await store.query<{ id: number }>(CREATE_FOR_USER, [
          ...[applicationId, signedIn.user.id, signedIn.passwordHash],
          ...values,
        ]);
  if (row !== undefined) return row.id;
  throw signedIn === null
    ? new Error("the session was not inserted")
    : changedDuringSignIn(signedIn);
}

/**
 * Sets the user of a stored session, or removes it (`signedIn` is null).
 * @throws Fault UNAUTHENTICATED when the session no longer exists or the password changed during the
 * sign-in; UNAVAILABLE when the user was deleted
 */
export async function updateSessionUser(
  { store }: SessionDeps,
  sessionId: number,
  signedIn: SignInResult | null,
  at: Date,
): Promise<void> {
  if (signedIn === null) {
    const moved = await store.query(UNSET_USER, [sessionId, at]);
    if (moved.length === 0) throw Fault.noSession();
    return;
  }
  const values = [sessionId, signedIn.user.id, signedIn.passwordHash, at];
  const [row] = await store.query<{ users: number; moved: number }>(SET_USER, values);
  if (row?.users === 0) throw changedDuringSignIn(signedIn);
  if (row?.moved === 0) throw Fault.noSession();
}

const EXPORT = {
  name: "export_sessions",
  text: `SELECT to_jsonb(s) - 'token_hash' - 'binding_code_hash' AS row FROM sessions s
    WHERE s.user_id = $1 ORDER BY s.id`,
};

/** The export of this module; deleting a user's row cascades to the sessions. */
export const sessionUserData: UserData = {
  exportUser: async (query, userId) => ({ sessions: await exportRows(query, EXPORT, [userId]) }),
};

/** Deletes a user's sessions, all or all but one. */
export async function deleteSessions(
  { prisma }: Transaction,
  userId: bigint,
  exceptId?: bigint,
): Promise<void> {
  const others = exceptId === undefined ? {} : { NOT: { id: exceptId } };
  await (await prisma()).session.deleteMany({ where: { userId, ...others } });
}
