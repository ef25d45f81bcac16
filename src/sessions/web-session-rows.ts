import type { UserViewer } from "../core/viewer";
import type { Store } from "../store/store";
import type { Session } from "./session";
import type { NewSession } from "./session-rows";

const CREATE = {
  name: "create_web_session",
  text: `INSERT INTO sessions (application_id, token_hash, nonce, ts, web, binding_code_hash, sliding,
      expires_at, last_activity_at, ip, user_agent, created_at, updated_at)
    VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8, $9, $10, $8, $8) RETURNING id`,
};
/** Web sessions that were never bound: binding removes the code, and signing out does not restore it. */
const UNBOUND = "s.web AND s.user_id IS NULL AND s.binding_code_hash IS NOT NULL";
const FIND_UNBOUND = {
  name: "find_unbound_session",
  text: `SELECT s.id, s.sliding, s.expires_at FROM sessions s
    WHERE (s.binding_code_hash = $1 OR s.token_hash = $1) AND s.application_id = $2 AND ${UNBOUND}`,
};
const BIND = {
  name: "bind_session",
  // Locks the user and then the caller's own session. A concurrent change that ends the user's sessions, such
  // as a new password, waits for these locks, so it sees the bound session and ends it too.
  text: `WITH u AS MATERIALIZED (SELECT id FROM users WHERE id = $2 FOR SHARE),
      own AS MATERIALIZED (SELECT s.id FROM sessions s JOIN u ON u.id = s.user_id
        WHERE s.id = $4 FOR SHARE OF s)
    UPDATE sessions s SET user_id = $2, binding_code_hash = NULL, updated_at = $3
    FROM own WHERE s.id = $1 AND ${UNBOUND} RETURNING s.id`,
};

type Query = Pick<Store, "query">;

/** An unbound web session to insert; only the hash of its binding code is stored. */
export interface NewWebSession extends NewSession {
  bindingCodeHash: Uint8Array;
}

/** Inserts an unbound web session. @returns the session's id */
export async function insertWebSession({ query }: Query, session: NewWebSession): Promise<number> {
  const { applicationId, tokenHash, nonce, ts, bindingCodeHash, sliding } = session;
  const { expiresAt, createdAt, ip, userAgent } = session;
  const [row] = await query<{ id: number }>(CREATE, [
    ...[applicationId, tokenHash, nonce, ts, bindingCodeHash, sliding],
    ...[expiresAt, createdAt, ip, userAgent],
  ]);
  if (row === undefined) throw new Error("the web session was not inserted");
  return row.id;
}

/** Finds a web session that was never bound, by the hash of its binding code or token; null if none. */
export async function findUnboundSession(
  { query }: Query,
  applicationId: number,
  hash: Uint8Array,
): Promise<Pick<Session, "id" | "sliding" | "expiresAt"> | null> {
  type Row = { id: number; sliding: boolean; expires_at: Date };
  const [row] = await query<Row>(FIND_UNBOUND, [hash, applicationId]);
  return row ? { id: row.id, sliding: row.sliding, expiresAt: row.expires_at } : null;
}

/** Sets the user of an unbound web session. @returns false if it was bound or ended in the meantime */
export async function bindSession(
  { query }: Query,
  id: number,
  { userId, sessionId }: Pick<UserViewer, "userId" | "sessionId">,
  at: Date,
): Promise<boolean> {
  return (await query(BIND, [id, userId, at, sessionId])).length > 0;
}
