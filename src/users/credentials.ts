import { Fault } from "../core/errors";
import { emailKey, emailKeys } from "../core/text/email";
import type { PasswordAttempt } from "../limits/rate-limits";
import { toUser, USER_COLUMNS, type User, type UserRow } from "./user";
import type { UserDeps } from "./user-deps";

/** Password credentials: a login or an e-mail, with the password. */
export interface PasswordCredentials {
  login?: string | null;
  email?: string | null;
  password?: string | null;
}

/** The result of a sign-in. */
export interface SignInResult {
  user: User;
  /**
   * The hash that the password matched; null for a sign-in without a password. Checking takes time, so a
   * caller must verify that the user still has this hash when it acts on the result.
   */
  passwordHash: string | null;
}

type FoundRow = UserRow & { password_hash: string | null };

const find = (name: string, condition: string) => ({
  name,
  text: `SELECT ${USER_COLUMNS}, u.password_hash FROM users u WHERE ${condition}`,
});
const BY_LOGIN = find("sign_in_by_login", "u.application_id = $1 AND u.login_key = $2");
const BY_EMAIL = find(
  "sign_in_by_email",
  `u.application_id = $1 AND u.email_key = ANY($2::text[])
    ORDER BY array_position($2::text[], u.email_key) LIMIT 1`,
);
const BY_ID = find("sign_in_by_id", "u.application_id = $1 AND u.id = $2");
const PASSWORD_UNCHANGED = {
  name: "password_still",
  text: "SELECT 1 AS one FROM users WHERE id = $1 AND password_hash = $2",
};

/** The same text for an unknown name and a wrong password, so that accounts cannot be enumerated. */
const REFUSED = "Unauthorized: the login or the password is wrong";

/**
 * Finds a user by login or e-mail and checks the password.
 * @throws Fault INVALID when a part is missing; UNAUTHENTICATED, with the same text and after the same
 * work, for an unknown name, a wrong password and a guest; LIMITED, for known and unknown names alike,
 * after too many failures
 */
export async function checkCredentials(
  deps: UserDeps,
  applicationId: number,
  { login, email, password }: PasswordCredentials,
  ip: string,
): Promise<SignInResult> {
  if (!login && !email) {
    throw new Fault("INVALID", "login or email is required", {
      base: ["login or email is required"],
    });
  }
  if (!password) throw Fault.field("password", "is required");
  if (login) {
    const key = login.toLowerCase();
    const attempt = { applicationId, name: `login:${key}`, ip };
    return check(deps, BY_LOGIN, [applicationId, key], password, attempt);
  }
  const address = email ?? "";
  const attempt = { applicationId, name: `email:${emailKey(address)}`, ip };
  return check(deps, BY_EMAIL, [applicationId, emailKeys(address)], password, attempt);
}

/**
 * Finds a user by id and checks the password. Chat clients sign in this way.
 * @param ip null when an external chat server asks, which does not know the client's address
 * @throws Fault UNAUTHENTICATED and LIMITED as for {@link checkCredentials}
 */
export async function checkUserPassword(
  deps: UserDeps,
  applicationId: number,
  userId: number,
  password: string,
  ip: string | null,
): Promise<SignInResult> {
  const attempt = { applicationId, name: passwordAttemptName(userId), ip };
  return check(deps, BY_ID, [applicationId, userId], password, attempt);
}

/** @param submitted the attempt by the submitted name, which is counted when no user has that name */
async function check(
  deps: UserDeps,
  statement: { name: string; text: string },
  values: [number, string | number | string[]],
  password: string,
  submitted: PasswordAttempt,
): Promise<SignInResult> {
  const [row] = await deps.store.query<FoundRow>(statement, values);
  // Login, e-mail and id of a user share one counter; three counters would allow three times the attempts.
  const attempt =
    row === undefined ? submitted : { ...submitted, name: passwordAttemptName(row.u_id) };
  const { applicationId, name, ip } = attempt;
  const found = await deps.limits.attemptPassword(attempt, async () => {
    const hash = row === undefined || row.is_guest ? null : row.password_hash;
    const who = { ip, name: `${applicationId} ${name}` };
    const right = await deps.passwordHasher.verify(hash, password, who);
    return right && row !== undefined ? row : null;
  });
  if (found === null) throw wrongCredentials();
  return { user: toUser(found), passwordHash: found.password_hash };
}

/** The name under which failed passwords of a user are counted, whichever name was submitted. */
export function passwordAttemptName(userId: number | bigint): string {
  return `id:${userId}`;
}

/** Checks that the user still has the password that signed in. @throws Fault UNAUTHENTICATED */
export async function assertPasswordUnchanged(
  { store }: UserDeps,
  { user, passwordHash }: SignInResult,
): Promise<void> {
  const unchanged = await store.query(PASSWORD_UNCHANGED, [user.id, passwordHash]);
  if (unchanged.length === 0) throw wrongCredentials();
}

/** The error when the password changed, or the user was deleted, during a sign-in. */
export function changedDuringSignIn({ passwordHash }: SignInResult): Fault {
  if (passwordHash !== null) return wrongCredentials();
  return new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
}

function wrongCredentials(): Fault {
  return new Fault("UNAUTHENTICATED", REFUSED);
}
