import { purgeRows } from "../../platform/store/rows/expired-rows";
import { OLD_NONCES } from "./nonce-queries";
import type { SessionDeps } from "./session-deps";
import { EXPIRED_SESSIONS } from "./session-queries";
import { TIMESTAMP_TOLERANCE_S } from "./verify-signature";

/** Delay before an expired session is deleted, in ms: other nodes write its last use seconds late. */
const SESSION_MARGIN_MS = 60_000;
/** Time that a nonce is kept after its timestamp ceased to be accepted, in seconds. */
const NONCE_MARGIN = 5 * 60;

/**
 * Deletes expired sessions, and nonces whose timestamps are no longer accepted. Idempotent, interruptible and
 * safe to run concurrently.
 */
export async function purgeSessions({
  store,
  clock,
  activity,
}: Pick<SessionDeps, "store" | "clock" | "activity">): Promise<void> {
  const now = clock.now();
  // Writes this node's pending last uses first; an expired session cannot be used in the meantime.
  await activity.flush();
  await purgeRows(store, EXPIRED_SESSIONS, new Date(now - SESSION_MARGIN_MS));
  await purgeRows(store, OLD_NONCES, Math.floor(now / 1000) - TIMESTAMP_TOLERANCE_S - NONCE_MARGIN);
}
