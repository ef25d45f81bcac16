import { Fault } from "../../core/errors";
import type { Identity } from "../identity";
import { goneMeanwhile, type SignedIn } from "./credentials";

/**
 * The user `$2` while the password is still `$3`, where one was given, kept so until the statement is
 * done: who changes it at that moment waits, and then finds the session to end.
 */
const STILL_THERE = `u AS MATERIALIZED (SELECT id FROM users
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
  text: `WITH ${STILL_THERE} INSERT INTO sessions (${COLUMNS})
    SELECT $1::bigint, u.id, $4::bytea, $5::bigint, $6::bigint, $7::timestamptz, $8::timestamptz,
      $8, $8, $9::text, $10::text, $11::boolean FROM u RETURNING id`,
};
const SET_USER = {
  name: "set_session_user",
  text: `WITH ${STILL_THERE}, moved AS (
      UPDATE sessions s SET user_id = u.id, updated_at = $4::timestamptz FROM u WHERE s.id = $1
      RETURNING s.id)
    SELECT (SELECT count(*) FROM u) AS users, (SELECT count(*) FROM moved) AS moved`,
};
const UNSET_USER = {
  name: "unset_session_user",
  // What is left of a web session is the application's: it waits for nobody.
  text: "UPDATE sessions SET user_id = NULL, web = false, updated_at = $2 WHERE id = $1 RETURNING id",
};

/** A session to be stored. */
export interface NewSession {
  applicationId: number;
  tokenHash: Uint8Array;
  nonce: number;
  /** Unix seconds that the client signed. */
  ts: number;
  expiresAt: Date;
  createdAt: Date;
  ip: string;
  userAgent: string | null;
  sliding: boolean;
}

/**
 * Stores a session, of the application alone (null) or of who has signed in.
 * @returns its id
 * @throws Fault UNAUTHENTICATED when the password changed meanwhile, UNAVAILABLE when the user went
 */
export async function insertSession(
  { store }: Identity,
  session: NewSession,
  signedIn: SignedIn | null,
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
  throw signedIn === null ? new Error("no session was stored") : goneMeanwhile(signedIn);
}

/**
 * Gives a stored session to who has signed in, or to nobody.
 * @throws Fault UNAUTHENTICATED when the session is gone, or the password changed meanwhile;
 * UNAVAILABLE when the user went
 */
export async function moveSession(
  { store }: Identity,
  sessionId: number,
  signedIn: SignedIn | null,
  at: Date,
): Promise<void> {
  if (signedIn === null) {
    const moved = await store.query(UNSET_USER, [sessionId, at]);
    if (moved.length === 0) throw Fault.noSession();
    return;
  }
  const values = [sessionId, signedIn.user.id, signedIn.passwordHash, at];
  const [row] = await store.query<{ users: number; moved: number }>(SET_USER, values);
  if (row?.users === 0) throw goneMeanwhile(signedIn);
  if (row?.moved === 0) throw Fault.noSession();
}
