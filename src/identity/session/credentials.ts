import { Fault } from "../../core/errors";
import type { Identity } from "../identity";
import type { Guess } from "../limits";
import { emailKey, emailKeys } from "../user/email";
import { toUser, USER_COLUMNS, type User, type UserRow } from "../user/user";

/** Who wants to sign in: a login or an e-mail, with the password. */
export interface Credentials {
  login?: string | null;
  email?: string | null;
  password?: string | null;
}

/** Who has signed in, and by what. */
export interface SignedIn {
  user: User;
  /**
   * The hash that the password was found right by; null without one. Checking takes a while, so who
   * acts on it does so only while it is still the user's.
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
const STILL = {
  name: "password_still",
  text: "SELECT 1 AS one FROM users WHERE id = $1 AND password_hash = $2",
};

/** The one answer to a wrong name and to a wrong password. */
const REFUSED = "Unauthorized: the login or the password is wrong";

/**
 * The user of a login or e-mail and password.
 * @throws Fault INVALID when a part is missing, UNAUTHENTICATED, in one text and after the same work,
 * for an unknown name, a wrong password and a guest; LIMITED, for known and unknown names alike, when
 * too many failed before
 */
export async function checkCredentials(
  identity: Identity,
  applicationId: number,
  { login, email, password }: Credentials,
  ip: string,
): Promise<SignedIn> {
  if (!login && !email) {
    throw new Fault("INVALID", "login or email is required", {
      base: ["login or email is required"],
    });
  }
  if (!password) throw Fault.field("password", "is required");
  if (login) {
    const key = login.toLowerCase();
    const guess = { applicationId, name: `login:${key}`, ip };
    return check(identity, BY_LOGIN, [applicationId, key], password, guess);
  }
  const address = email ?? "";
  const guess = { applicationId, name: `email:${emailKey(address)}`, ip };
  return check(identity, BY_EMAIL, [applicationId, emailKeys(address)], password, guess);
}

/**
 * The user of an id and password, as a chat client signs in.
 * @param ip null where a chat server asks that does not know it
 * @throws Fault UNAUTHENTICATED as for {@link checkCredentials}
 */
export async function checkUserPassword(
  identity: Identity,
  applicationId: number,
  userId: number,
  password: string,
  ip: string | null,
): Promise<SignedIn> {
  const guess = { applicationId, name: userName(userId), ip };
  return check(identity, BY_ID, [applicationId, userId], password, guess);
}

/** @param given what the attempt is counted by where the name is nobody's */
async function check(
  identity: Identity,
  statement: { name: string; text: string },
  values: [number, string | number | string[]],
  password: string,
  given: Guess,
): Promise<SignedIn> {
  const [row] = await identity.store.query<FoundRow>(statement, values);
  // Login, e-mail and id of an account are one name, so that nobody has three times as many guesses.
  const guess = row === undefined ? given : { ...given, name: userName(row.u_id) };
  const { applicationId, name, ip } = guess;
  const found = await identity.limits.guess(guess, async () => {
    const hash = row === undefined || row.is_guest ? null : row.password_hash;
    const who = { ip, name: `${applicationId} ${name}` };
    const right = await identity.passwords.matches(hash, password, who);
    return right && row !== undefined ? row : null;
  });
  if (found === null) throw refused();
  return { user: toUser(found), passwordHash: found.password_hash };
}

/** What failures at a user's password are counted by, whatever name was given. */
export function userName(userId: number | bigint): string {
  return `id:${userId}`;
}

/** Looks whether the password is still the user's. @throws Fault UNAUTHENTICATED */
export async function confirmPassword(
  { store }: Identity,
  { user, passwordHash }: SignedIn,
): Promise<void> {
  const still = await store.query(STILL, [user.id, passwordHash]);
  if (still.length === 0) throw refused();
}

/** What somebody is told who signed in while the password, or the user, went. */
export function goneMeanwhile({ passwordHash }: SignedIn): Fault {
  if (passwordHash !== null) return refused();
  return new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
}

function refused(): Fault {
  return new Fault("UNAUTHENTICATED", REFUSED);
}
