import { Fault } from "../core/errors";
import { emailKey, emailKeys } from "../core/text/email";
import type { PasswordAttempt } from "../limits/rate-limits";
import type { Store } from "../store/store";
import { isBlocked } from "./owned-user-queries";
import type { User } from "./user";
import type { UserDeps } from "./user-deps";
import { findUserWithPassword, hasPasswordHash, type SignInKey } from "./user-queries";

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
    throw Fault.base("login or email is required");
  }
  if (!password) throw Fault.field("password", "is required");
  if (login) {
    const key = login.toLowerCase();
    const attempt = { applicationId, name: `login:${key}`, ip };
    return check(deps, { loginKey: key }, password, attempt);
  }
  const address = email ?? "";
  const attempt = { applicationId, name: `email:${emailKey(address)}`, ip };
  return check(deps, { emailKeys: emailKeys(address) }, password, attempt);
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
  return check(deps, { id: userId }, password, attempt);
}

/** @param submitted the attempt by the submitted name, which is counted when no user has that name */
async function check(
  deps: UserDeps,
  key: SignInKey,
  password: string,
  submitted: PasswordAttempt,
): Promise<SignInResult> {
  const { applicationId } = submitted;
  const stored = await findUserWithPassword(deps.store, applicationId, key);
  // Login, e-mail and id of a user share one counter; three counters would allow three times the attempts.
  const attempt =
    stored === null ? submitted : { ...submitted, name: passwordAttemptName(stored.user.id) };
  const { name, ip } = attempt;
  const found = await deps.limits.attemptPassword(attempt, async () => {
    const hash = stored === null || stored.user.isGuest ? null : stored.passwordHash;
    const who = { ip, name: `${applicationId} ${name}` };
    const right = await deps.passwordHasher.verify(hash, password, who);
    return right ? stored : null;
  });
  if (found === null) throw wrongCredentials();
  return found;
}

/** Runs a sign-in to an application, and counts whether the credentials were right. */
export async function countSignIn<T>(
  { counters }: Pick<UserDeps, "counters">,
  applicationId: number,
  act: () => Promise<T>,
): Promise<T> {
  try {
    const result = await act();
    counters.count(applicationId, "signIns");
    return result;
  } catch (error) {
    if (error instanceof Fault && error.code === "UNAUTHENTICATED") {
      counters.count(applicationId, "failedSignIns");
    }
    throw error;
  }
}

/** The name under which failed passwords of a user are counted, whichever name was submitted. */
export function passwordAttemptName(userId: number | bigint): string {
  return `id:${userId}`;
}

/** Checks that the user is not blocked and still has the password that signed in. @throws Fault UNAUTHENTICATED */
export async function assertPasswordUnchanged(
  { store }: UserDeps,
  { user, passwordHash }: SignInResult,
): Promise<void> {
  if (!(await hasPasswordHash(store, user.id, passwordHash))) throw wrongCredentials();
}

/**
 * The error when a user with the right credentials gets no session: the user is blocked, or the password changed or
 * the user was deleted during the sign-in. Only someone with the credentials learns of a block.
 */
export async function refusedSignIn(
  store: Pick<Store, "query">,
  { user, passwordHash }: SignInResult,
): Promise<Fault> {
  if (await isBlocked(store, user.id)) return new Fault("FORBIDDEN", "This user is blocked");
  if (passwordHash !== null) return wrongCredentials();
  return new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
}

function wrongCredentials(): Fault {
  return new Fault("UNAUTHENTICATED", REFUSED);
}
