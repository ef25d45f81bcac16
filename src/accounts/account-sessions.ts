import { isOwnerToken } from "../access/request-auth";
import { Fault } from "../core/errors";
import { hashToken, newToken } from "../core/random";
import { truncateText } from "../core/text/text";
import type { AccountViewer } from "../core/viewer";
import type { PasswordAttempt } from "../limits/rate-limits";
import { purgeRows } from "../store/rows/expired-rows";
import type { AccountDeps } from "./account-deps";
import { findOwnerCredentials } from "./account-queries";
import {
  deleteAccountSession,
  EXPIRED_ACCOUNT_SESSIONS,
  findAccountSession,
  insertAccountSession,
  touchAccountSession,
} from "./account-session-queries";

/** Lifetime of an owner's session after the last request, in milliseconds. */
export const OWNER_SESSION_MS = 12 * 60 * 60 * 1000;
/** Minimum interval between two writes of a session's last activity, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;
/** Number of characters of a User-Agent header that are stored. */
const USER_AGENT_MAX = 255;

/** The same text for an unknown e-mail and for a wrong password. */
const REFUSED = "Unauthorized: the e-mail or the password is wrong";

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
    const found = await findOwnerCredentials(deps.store, { email: key });
    const matches = await deps.passwordHasher.verify(
      found?.passwordHash ?? null,
      password,
      attempt,
    );
    return matches ? found : null;
  });
  if (account === null) throw refused();
  const token = `acct_${newToken()}`;
  const now = deps.clock.now();
  const expiresAt = new Date(now + OWNER_SESSION_MS);
  const created = await insertAccountSession(deps.store.query, {
    accountId: account.id,
    passwordHash: account.passwordHash,
    tokenHash: hashToken(token),
    expiresAt,
    createdAt: new Date(now),
    ip: from.ip,
    userAgent: from.userAgent === undefined ? null : truncateText(from.userAgent, USER_AGENT_MAX),
  });
  if (!created) throw refused();
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
  const at = new Date(now);
  const session = await findAccountSession(deps.store, hashToken(token), at);
  if (session === null) throw Fault.noSession();
  if (now - session.lastActivityAt.getTime() >= TOUCH_INTERVAL_MS) {
    const expiresAt = new Date(now + OWNER_SESSION_MS);
    await touchAccountSession(deps.store, session.id, { lastActivityAt: at, expiresAt });
  }
  return { accountId: session.accountId, accountSessionId: session.id };
}

/** Ends an owner's session, which invalidates its token. */
export async function signOutOwner(deps: AccountDeps, viewer: AccountViewer): Promise<void> {
  await deleteAccountSession(deps.store, viewer.accountSessionId);
}

/** Deletes expired sessions of owners. Idempotent and safe to run concurrently. */
export async function purgeAccountSessions({
  store,
  clock,
}: Pick<AccountDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED_ACCOUNT_SESSIONS, new Date(clock.now()));
}
