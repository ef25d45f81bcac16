import { isOwnerToken } from "../access/request-auth";
import { Fault } from "../core/errors";
import { hashToken, newToken } from "../core/random";
import { truncateText } from "../core/text/text";
import type { AccountViewer } from "../core/viewer";
import type { PasswordAttempt } from "../limits/rate-limits";
import { expiredRows, purgeRows } from "../store/expired-rows";
import type { AccountDeps } from "./account-deps";

/** Lifetime of an owner's session after the last request, in milliseconds. */
export const OWNER_SESSION_MS = 12 * 60 * 60 * 1000;
/** Minimum interval between two writes of a session's last activity, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;
/** Number of characters of a User-Agent header that are stored. */
const USER_AGENT_MAX = 255;

/** The same text for an unknown e-mail and for a wrong password. */
const REFUSED = "Unauthorized: the e-mail or the password is wrong";

const BY_EMAIL = {
  name: "account_by_email",
  text: "SELECT id, password_hash FROM accounts WHERE email = $1",
};
// Inserts only if the password is still the one that was verified. A concurrent password change waits for
// the lock, and then ends this session too.
const CREATE = {
  name: "create_account_session",
  text: `INSERT INTO account_sessions (account_id, token_hash, expires_at, last_activity_at, ip,
      user_agent, created_at)
    SELECT a.id, $2::bytea, $3::timestamptz, $4::timestamptz, $5::text, $6::text, $4
    FROM accounts a WHERE a.id = $1 AND a.password_hash = $7 FOR SHARE RETURNING id`,
};
const FIND = {
  name: "find_account_session",
  text: `SELECT id, account_id, last_activity_at FROM account_sessions
    WHERE token_hash = $1 AND expires_at > $2`,
};
const TOUCH = {
  name: "touch_account_session",
  text: "UPDATE account_sessions SET last_activity_at = $2, expires_at = $3 WHERE id = $1",
};
const DESTROY = {
  name: "destroy_account_session",
  text: "DELETE FROM account_sessions WHERE id = $1",
};

/**
 * The key that attempts at an owner's password count under. Sign-ins and password changes share it, so that
 * neither bypasses the other's limit.
 * @param email in lower case
 */
export function ownerPasswordAttempt(email: string, ip: string): PasswordAttempt {
  // Failures count per application; owners belong to none.
  return { applicationId: 0, name: `owner:${email}`, ip };
}

/**
 * Signs in the owner of an account.
 * @returns the account and the token; only the token's hash is stored
 * @throws Fault UNAUTHENTICATED for an unknown e-mail and for a wrong password, with the same text and
 * after the same work; LIMITED after too many failures
 */
export async function signInOwner(
  deps: AccountDeps,
  { email, password }: { email: string; password: string },
  from: { ip: string; userAgent?: string },
): Promise<{ accountId: number; token: string; expiresAt: Date }> {
  const key = email.toLowerCase();
  const attempt = ownerPasswordAttempt(key, from.ip);
  const account = await deps.limits.attemptPassword(attempt, async () => {
    const [row] = await deps.store.query<{ id: number; password_hash: string | null }>(BY_EMAIL, [
      key,
    ]);
    const matches = await deps.passwordHasher.verify(row?.password_hash ?? null, password, attempt);
    return matches ? (row ?? null) : null;
  });
  if (account === null) throw refused();
  const token = `acct_${newToken()}`;
  const now = deps.clock.now();
  const expiresAt = new Date(now + OWNER_SESSION_MS);
  const created = await deps.store.query(CREATE, [
    account.id,
    hashToken(token),
    expiresAt,
    new Date(now),
    from.ip,
    from.userAgent === undefined ? null : truncateText(from.userAgent, USER_AGENT_MAX),
    account.password_hash,
  ]);
  if (created.length === 0) throw refused();
  return { accountId: account.id, token, expiresAt };
}

function refused(): Fault {
  return new Fault("UNAUTHENTICATED", REFUSED);
}

/**
 * Finds the owner of a token and extends the session.
 * @throws Fault UNAUTHENTICATED, always with the same text, if the token is missing, unknown, expired or
 * signed out
 */
export async function findOwner(
  deps: AccountDeps,
  token: string | undefined,
): Promise<AccountViewer> {
  if (!isOwnerToken(token)) throw Fault.noSession();
  const now = deps.clock.now();
  const [row] = await deps.store.query<{
    id: number;
    account_id: number;
    last_activity_at: Date;
  }>(FIND, [hashToken(token), new Date(now)]);
  if (!row) throw Fault.noSession();
  if (now - row.last_activity_at.getTime() >= TOUCH_INTERVAL_MS) {
    const expiresAt = new Date(now + OWNER_SESSION_MS);
    await deps.store.query(TOUCH, [row.id, new Date(now), expiresAt]);
  }
  return { accountId: row.account_id, accountSessionId: row.id };
}

/** Ends an owner's session, which invalidates its token. */
export async function signOutOwner(deps: AccountDeps, viewer: AccountViewer): Promise<void> {
  await deps.store.query(DESTROY, [viewer.accountSessionId]);
}

const EXPIRED = expiredRows("account_sessions");

/** Deletes expired sessions of owners. Idempotent and safe to run concurrently. */
export async function purgeAccountSessions({
  store,
  clock,
}: Pick<AccountDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED, new Date(clock.now()));
}
