import type { UserViewer } from "../../core/viewer";
import type { Statement, Store } from "../../platform/store/store";
import type { Session } from "./session";
import type { NewSession } from "./session-queries";

/** Web sessions that were never bound: binding removes the code, and signing out does not restore it. */
const UNBOUND = "s.web AND s.user_id IS NULL AND s.binding_code_hash IS NOT NULL";
const BIND: Statement = {
  name: "bind_session",
  // Locks the user and then the caller's own session. A concurrent change that ends the user's sessions, such
  // as a new password, waits for these locks, so it sees the bound session and ends it too.
  text: `WITH u AS MATERIALIZED (SELECT id FROM users WHERE id = $2 AND blocked_at IS NULL FOR SHARE),
      own AS MATERIALIZED (SELECT s.id FROM sessions s JOIN u ON u.id = s.user_id
        WHERE s.id = $4 FOR SHARE OF s)
    UPDATE sessions s SET user_id = $2, binding_code_hash = NULL, updated_at = $3
    FROM own WHERE s.id = $1 AND ${UNBOUND} RETURNING s.id`,
};

/** An unbound web session to insert; only the hash of its binding code is stored. */
export interface NewWebSession extends NewSession {
  bindingCodeHash: Uint8Array;
}

/** Inserts an unbound web session. @returns the session's id */
export async function insertWebSession(
  { db }: Pick<Store, "db">,
  { applicationId, tokenHash, bindingCodeHash, nonce, ts, createdAt, ...session }: NewWebSession,
): Promise<number> {
  const { id } = await db.session.create({
    data: {
      ...session,
      applicationId: BigInt(applicationId),
      tokenHash: new Uint8Array(tokenHash),
      bindingCodeHash: new Uint8Array(bindingCodeHash),
      nonce: BigInt(nonce),
      ts: BigInt(ts),
      web: true,
      lastActivityAt: createdAt,
      createdAt,
      updatedAt: createdAt,
    },
    select: { id: true },
  });
  return Number(id);
}

/** Finds a web session that was never bound, by the hash of its binding code or token; null if none. */
export async function findUnboundSession(
  { db }: Pick<Store, "db">,
  applicationId: number,
  hash: Uint8Array,
): Promise<Pick<Session, "id" | "sliding" | "expiresAt"> | null> {
  const bytes = new Uint8Array(hash);
  const row = await db.session.findFirst({
    where: {
      OR: [{ bindingCodeHash: bytes }, { tokenHash: bytes }],
      applicationId: BigInt(applicationId),
      web: true,
      userId: null,
      NOT: { bindingCodeHash: null },
    },
    select: { id: true, sliding: true, expiresAt: true },
  });
  return row && { ...row, id: Number(row.id) };
}

/** Sets the user of an unbound web session. @returns false if it was bound or ended in the meantime */
export async function bindSession(
  { query }: Pick<Store, "query">,
  id: number,
  { userId, sessionId }: Pick<UserViewer, "userId" | "sessionId">,
  at: Date,
): Promise<boolean> {
  return (await query(BIND, [id, userId, at, sessionId])).length > 0;
}
