import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { cutText } from "../../core/text";
import type { AccountViewer } from "../../core/viewer";
import type { Identity } from "../identity";
import type { Guess } from "../limits";

/** Milliseconds that an owner stays signed in after the last request. */
export const OWNER_SESSION_MS = 12 * 60 * 60 * 1000;
/** Milliseconds of use that need not be written. */
const TOUCH_MS = 60_000;
/** Characters of a User-Agent header that are kept. */
const USER_AGENT_MAX = 255;

/** An owner's token says so, so that it is never looked up among the users' sessions, nor theirs here. */
const TOKEN = /^acct_[A-Za-z0-9_-]{43}$/;

/** The one answer to an unknown e-mail and to a wrong password. */
const REFUSED = "Unauthorized: the e-mail or the password is wrong";

const BY_EMAIL = {
  name: "account_by_email",
  text: "SELECT id, password_hash FROM accounts WHERE email = $1",
};
// While the password is still the one that was checked: who changes it at that moment waits, and then
// finds the session to end.
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

/** Whether a token has the form of an owner's. */
export function isOwnerToken(token: string | undefined): token is string {
  return token !== undefined && TOKEN.test(token);
}

/**
 * What a try of an owner's password counts as: the same for a sign-in and for the old password of a
 * change, so that neither is a way around the other.
 * @param email in lower case
 */
export function ownerGuess(email: string, ip: string): Guess {
  // Failures are counted by application; an owner's belong to none.
  return { applicationId: 0, name: `owner:${email}`, ip };
}

/**
 * Signs an account's owner in.
 * @returns the account, and the token, told this once and stored as a hash
 * @throws Fault UNAUTHENTICATED, in one text and after the same work, for an unknown e-mail and for a
 * wrong password; LIMITED when too many failed
 */
export async function signInOwner(
  identity: Identity,
  { email, password }: { email: string; password: string },
  from: { ip: string; userAgent?: string },
): Promise<{ accountId: number; token: string; expiresAt: Date }> {
  const key = email.toLowerCase();
  const guess = ownerGuess(key, from.ip);
  const account = await identity.limits.guess(guess, async () => {
    const [row] = await identity.store.query<{ id: number; password_hash: string | null }>(
      BY_EMAIL,
      [key],
    );
    const right = await identity.passwords.matches(row?.password_hash ?? null, password, guess);
    return right ? (row ?? null) : null;
  });
  if (account === null) throw refused();
  const token = `acct_${newToken()}`;
  const now = identity.clock.now();
  const expiresAt = new Date(now + OWNER_SESSION_MS);
  const created = await identity.store.query(CREATE, [
    account.id,
    hashToken(token),
    expiresAt,
    new Date(now),
    from.ip,
    from.userAgent === undefined ? null : cutText(from.userAgent, USER_AGENT_MAX),
    account.password_hash,
  ]);
  if (created.length === 0) throw refused();
  return { accountId: account.id, token, expiresAt };
}

function refused(): Fault {
  return new Fault("UNAUTHENTICATED", REFUSED);
}

/**
 * The owner whom a token names, and a note of its use, which moves the expiry.
 * @throws Fault UNAUTHENTICATED, in the one text, when it is missing, unknown, expired or signed out
 */
export async function findOwner(
  identity: Identity,
  token: string | undefined,
): Promise<AccountViewer> {
  if (!isOwnerToken(token)) throw Fault.noSession();
  const now = identity.clock.now();
  const [row] = await identity.store.query<{
    id: number;
    account_id: number;
    last_activity_at: Date;
  }>(FIND, [hashToken(token), new Date(now)]);
  if (!row) throw Fault.noSession();
  if (now - row.last_activity_at.getTime() >= TOUCH_MS) {
    const expiresAt = new Date(now + OWNER_SESSION_MS);
    await identity.store.query(TOUCH, [row.id, new Date(now), expiresAt]);
  }
  return { accountId: row.account_id, accountSessionId: row.id };
}

/** Ends an owner's session: its token is worthless from then on. */
export async function signOutOwner(identity: Identity, viewer: AccountViewer): Promise<void> {
  await identity.store.query(DESTROY, [viewer.accountSessionId]);
}
