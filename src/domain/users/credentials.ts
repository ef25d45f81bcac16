import { Fault } from "../../core/errors";
import { hasTokenForm } from "../../core/random";
import { emailKey, emailKeys } from "../../core/text/email";
import type { PasswordAttempt } from "../../platform/limits/failure-counters";
import type { Store } from "../../platform/store/store";
import type { PasswordRequester } from "../passwords/password";
import { isBlocked } from "./block-queries";
import type { User } from "./user";
import { type PasswordColumns, writeTokenForm } from "./user-change-queries";
import type { UserDeps } from "./user-deps";
import {
  findUserWithPassword,
  hasPasswordHash,
  type SignInKey,
  type UserWithPassword,
} from "./user-queries";

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

/** A user of a chat client, and its address; null when an external chat server asks, which does not know it. */
export interface ChatClient {
  applicationId: number;
  userId: number;
  ip: string | null;
}

/**
 * Finds a user by id and checks the password. Chat clients sign in this way, unless what they send has the form of
 * a session's token.
 * @throws Fault UNAUTHENTICATED and LIMITED as for {@link checkCredentials}
 */
export async function checkUserPassword(
  deps: UserDeps,
  { applicationId, userId, ip }: ChatClient,
  password: string,
): Promise<SignInResult> {
  const attempt = { applicationId, name: passwordAttemptName(userId), ip };
  return check(deps, { id: userId }, password, attempt);
}

/**
 * Finds a user by id and checks what a chat client sent in the form of a session's token, though no session of the user
 * has it: nearly always the token of a session that has ended, rarely a password that a backend derived. A failure is
 * therefore no guess at the password, and locks out neither the user nor the address.
 *
 * It is hashed only if the user's password may have that form. Otherwise nothing is hashed, as for an unknown user: who
 * measures the time learns whether a user has a password of that form or of an unknown one, and of nobody else whether
 * the user exists.
 * @throws Fault UNAUTHENTICATED as for {@link checkCredentials}; LIMITED after too many such checks
 */
export async function checkTokenFormPassword(
  deps: UserDeps,
  client: ChatClient,
  password: string,
): Promise<SignInResult> {
  const { applicationId, userId, ip } = client;
  const stored = await findUserWithPassword(deps.store, applicationId, { id: userId });
  const hash = usableHash(stored);
  if (stored === null || hash === null || stored.passwordHasTokenForm === false) {
    throw wrongCredentials();
  }
  await deps.limits.countTokenFormCheck(client);
  const who = { ip, name: `${applicationId} ${passwordAttemptName(userId)}` };
  if (!(await deps.passwordHasher.verify(hash, password, who))) throw wrongCredentials();
  await settleTokenForm(deps, stored, password);
  return stored;
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
    const who = { ip, name: `${applicationId} ${name}` };
    const right = await deps.passwordHasher.verify(usableHash(stored), password, who);
    return right ? stored : null;
  });
  if (found === null) throw wrongCredentials();
  await settleTokenForm(deps, found, password);
  return found;
}

/** The hash that a password may match; null for an unknown user, a guest and a user without a password. */
function usableHash(stored: UserWithPassword | null): string | null {
  return stored === null || stored.user.isGuest ? null : stored.passwordHash;
}

/**
 * Stores whether a right password has the form of a session's token. It compares rather than asks whether the form is
 * known: a node of an earlier version may have changed the password without it.
 */
async function settleTokenForm(
  { store }: UserDeps,
  { user, passwordHash, passwordHasTokenForm: known }: UserWithPassword,
  password: string,
): Promise<void> {
  const passwordHasTokenForm = hasTokenForm(password);
  if (passwordHash === null || passwordHasTokenForm === known) return;
  await writeTokenForm(store, user.id, { passwordHash, passwordHasTokenForm });
}

/** Hashes a new password of a user. @throws Fault LIMITED when too many passwords wait */
export async function hashUserPassword(
  { passwordHasher }: Pick<UserDeps, "passwordHasher">,
  password: string,
  requester: PasswordRequester,
): Promise<PasswordColumns> {
  const passwordHash = await passwordHasher.hash(password, requester);
  return { passwordHash, passwordHasTokenForm: hasTokenForm(password) };
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
