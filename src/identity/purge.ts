import { TIMESTAMP_TOLERANCE_S } from "../sessions/verify-signature";
import type { Statement } from "../store/store";
import { removeUsers } from "../users/remove-users";
import type { Identity } from "./identity";

/** Interval between two purges, in seconds. */
export const PURGE_SECONDS = 60;
/** Maximum number of rows that one statement deletes; keeps locks short. */
const BATCH = 500;
/** Delay before an expired session is deleted, in ms: other nodes write its last use seconds late. */
const SESSION_MARGIN_MS = 60_000;
/** Time that a nonce is kept after its timestamp ceased to be accepted, in seconds. */
const NONCE_MARGIN = 5 * 60;

const GUESTS = {
  name: "purge_guests",
  text: `SELECT id FROM users WHERE guest_until <= $1 ORDER BY guest_until LIMIT ${BATCH}`,
};

/** Deletes a batch of rows that expired by `$1`, by the index on expires_at. */
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
 * Deletes expired guests, sessions and password reset links, and nonces whose timestamps are no longer
 * accepted. Idempotent, interruptible and safe to run concurrently.
 */
export async function purge(identity: Identity): Promise<void> {
  const now = identity.clock.now();
  const at = new Date(now);
  await purgeGuests(identity, at);
  // Writes this node's pending last uses first; an expired session cannot be used in the meantime.
  await identity.activity.flush();
  await purgeAll(identity, SESSIONS, new Date(now - SESSION_MARGIN_MS));
  await purgeAll(identity, ACCOUNT_SESSIONS, at);
  await purgeAll(identity, PASSWORD_RESETS, at);
  await purgeAll(identity, NONCES, Math.floor(now / 1000) - TIMESTAMP_TOLERANCE_S - NONCE_MARGIN);
}

async function purgeGuests(identity: Identity, at: Date): Promise<void> {
  for (;;) {
    const guests = await identity.store.query<{ id: number }>(GUESTS, [at]);
    const ids = guests.map(({ id }) => id);
    if (ids.length > 0) await removeUsers(identity, ids);
    if (ids.length < BATCH) return;
  }
}

/** Deletes batches until one is not full. */
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
