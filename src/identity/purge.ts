import type { Statement } from "../store/store";
import type { Identity } from "./identity";
import { TIMESTAMP_TOLERANCE } from "./session/signing";
import { removeUsers } from "./user/remove-users";

/** Seconds between two purges. */
export const PURGE_SECONDS = 60;
/** Rows that one statement deletes at most, so that none holds its locks for long. */
const BATCH = 500;
/** Milliseconds that a session outlives its expiry here: other nodes write its last use seconds late. */
const SESSION_MARGIN_MS = 60_000;
/** Seconds that a nonce is kept beyond the window in which its timestamp is accepted. */
const NONCE_MARGIN = 5 * 60;

const GUESTS = {
  name: "purge_guests",
  text: `SELECT id FROM users WHERE guest_until <= $1 ORDER BY guest_until LIMIT ${BATCH}`,
};

/** Deletes a batch of what expired before `$1`, through the index of that time. */
const expired = (table: string): Statement => ({
  name: `purge_${table}`,
  text: `DELETE FROM ${table} WHERE id = ANY(ARRAY(
      SELECT id FROM ${table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
});
const SESSIONS = expired("sessions");
const ACCOUNT_SESSIONS = expired("account_sessions");
const PASSWORD_RESETS = expired("password_resets");
const NONCES = {
  name: "purge_nonces",
  text: `DELETE FROM nonces WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM nonces WHERE ts < $1 ORDER BY ts LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING 1 AS one`,
};

/**
 * Deletes what is over: guests after their day, expired sessions and links, nonces whose timestamps
 * are refused anyway. It may be interrupted, repeated and run beside another.
 */
export async function purge(identity: Identity): Promise<void> {
  const now = identity.clock.now();
  const at = new Date(now);
  await purgeGuests(identity, at);
  // The last uses on this node are written first; an expired session cannot be used meanwhile.
  await identity.touches.flush();
  await purgeAll(identity, SESSIONS, new Date(now - SESSION_MARGIN_MS));
  await purgeAll(identity, ACCOUNT_SESSIONS, at);
  await purgeAll(identity, PASSWORD_RESETS, at);
  await purgeAll(identity, NONCES, Math.floor(now / 1000) - TIMESTAMP_TOLERANCE - NONCE_MARGIN);
}

async function purgeGuests(identity: Identity, at: Date): Promise<void> {
  for (;;) {
    const guests = await identity.store.query<{ id: number }>(GUESTS, [at]);
    const ids = guests.map(({ id }) => id);
    if (ids.length > 0) await removeUsers(identity, ids);
    if (ids.length < BATCH) return;
  }
}

/** Deletes batch after batch, until one is not full. */
async function purgeAll(
  identity: Identity,
  statement: Statement,
  limit: Date | number,
): Promise<void> {
  for (;;) {
    const deleted = await identity.store.query(statement, [limit]);
    if (deleted.length < BATCH) return;
  }
}
