import { Fault } from "../core/errors";
import { isEmail } from "../core/text/email";
import { checkName, checkWebUrl, NAME_MAX, textProblem } from "../core/text/field-checks";
import type { AccountViewer } from "../core/viewer";
import { checkPassword } from "../passwords/password";
import { uniqueViolation } from "../store/database-errors";
import type { AccountDeps } from "./account-deps";
import {
  type Account,
  findAccountById,
  findOwnerCredentials,
  writeAccount,
} from "./account-queries";
import { deleteOtherAccountSessions } from "./account-session-queries";
import { ownerPasswordAttempt } from "./account-sessions";

/** What an owner may change. Absent: unchanged; null too for fields that cannot be empty. */
export interface AccountChanges {
  name?: string | null;
  email?: string | null;
  password?: string | null;
  oldPassword?: string | null;
  /** Null resets an endpoint to this deployment's. */
  apiEndpoint?: string | null;
  chatEndpoint?: string | null;
  turnserverEndpoint?: string | null;
}

const HOST = /^[A-Za-z0-9._:-]{1,255}$/;

/** Reads an account. @throws Fault UNAUTHENTICATED if it was deleted in the meantime */
export async function findAccount(deps: AccountDeps, accountId: number): Promise<Account> {
  const account = await findAccountById(deps.store, accountId);
  if (account === null) throw Fault.noSession();
  return account;
}

/**
 * Changes the owner's account. A new password requires the old one and ends the owner's other sessions.
 * @param ip the client's address; wrong old passwords count as failed sign-ins
 * @throws Fault INVALID on an invalid field or a taken e-mail; LIMITED
 */
export async function updateAccount(
  deps: AccountDeps,
  { accountId, accountSessionId }: AccountViewer,
  changes: AccountChanges,
  ip: string,
): Promise<Account> {
  const columns = checkAccount(changes);
  const password = await newPassword(deps, accountId, changes, ip);
  const updatedAt = new Date(deps.clock.now());
  try {
    await deps.store.transaction(async (transaction) => {
      if (password === null) {
        await writeAccount(transaction, accountId, { ...columns, updatedAt });
        return;
      }
      const data = { ...columns, passwordHash: password.newHash, updatedAt };
      // The password may have been changed since it was verified.
      if (!(await writeAccount(transaction, accountId, data, password.verifiedHash))) {
        throw Fault.field("oldPassword", "is wrong");
      }
      await deleteOtherAccountSessions(transaction, accountId, accountSessionId);
    });
  } catch (error) {
    if (uniqueViolation(error)?.includes("email")) {
      throw Fault.field("email", "has already been taken");
    }
    throw error;
  }
  return findAccount(deps, accountId);
}

function checkAccount(changes: AccountChanges) {
  const { name, email, apiEndpoint, chatEndpoint, turnserverEndpoint } = changes;
  if (name !== undefined && name !== null) checkName(name);
  if (email !== undefined && email !== null) {
    const problem = isEmail(email) ? textProblem(email, NAME_MAX) : "must be an e-mail address";
    if (problem) throw Fault.field("email", problem);
  }
  if (apiEndpoint) checkWebUrl("apiEndpoint", apiEndpoint);
  for (const [field, host] of Object.entries({ chatEndpoint, turnserverEndpoint })) {
    if (host && !HOST.test(host)) throw Fault.field(field, "must be a host name or an address");
  }
  return {
    name: name ?? undefined,
    email: email?.toLowerCase(),
    apiEndpoint: emptyAsNull(apiEndpoint),
    chatEndpoint: emptyAsNull(chatEndpoint),
    turnserverEndpoint: emptyAsNull(turnserverEndpoint),
  };
}

const emptyAsNull = (text: string | null | undefined) => (text === "" ? null : text);

/** Verifies the old password and hashes the new one; null if no new password is given. */
async function newPassword(
  deps: AccountDeps,
  id: number,
  { password, oldPassword }: AccountChanges,
  ip: string,
): Promise<{ newHash: string; verifiedHash: string | null } | null> {
  if (password === undefined || password === null) return null;
  checkPassword(password);
  if (!oldPassword) throw Fault.field("oldPassword", "is required for a new password");
  await deps.limits.countPasswordChange({ kind: "account", id }, ip);
  const stored = await findOwnerCredentials(deps.store, { id });
  const attempt = ownerPasswordAttempt(stored?.email ?? "", ip);
  const matches = await deps.limits.attemptPassword(
    attempt,
    async () =>
      (await deps.passwordHasher.verify(stored?.passwordHash ?? null, oldPassword, attempt)) ||
      null,
  );
  if (!matches) throw Fault.field("oldPassword", "is wrong");
  return {
    newHash: await deps.passwordHasher.hash(password, attempt),
    verifiedHash: stored?.passwordHash ?? null,
  };
}
