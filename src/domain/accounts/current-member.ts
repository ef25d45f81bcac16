import { Fault } from "../../core/errors";
import { isEmail } from "../../core/text/email";
import { NAME_MAX, textProblem } from "../../core/text/field-checks";
import type { AccountViewer } from "../../core/viewer";
import { uniqueViolation } from "../../platform/store/database-errors";
import { checkPassword } from "../passwords/password";
import type { AccountDeps } from "./account-deps";
import { deleteOtherAccountSessions } from "./account-session-queries";
import { memberPasswordAttempt } from "./account-sessions";
import { findMemberCredentials, writeMemberCredentials } from "./member-queries";

/** What members may change of themselves. Absent or null: unchanged. */
export interface CredentialChanges {
  email?: string | null;
  password?: string | null;
  oldPassword?: string | null;
}

/** Checks an e-mail address. @returns it in lower case @throws Fault INVALID */
export function checkMemberEmail(email: string): string {
  const problem = isEmail(email) ? textProblem(email, NAME_MAX) : "must be an e-mail address";
  if (problem) throw Fault.field("email", problem);
  return email.toLowerCase();
}

/** Runs a change of an e-mail address. @throws Fault INVALID if another member has the address */
export async function refuseTakenEmail<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (uniqueViolation(error)?.includes("email")) {
      throw Fault.field("email", "has already been taken");
    }
    throw error;
  }
}

/**
 * Changes the calling member's e-mail address or password. Both require the current password, so that a token alone
 * takes over no account. A new password ends the member's other sessions and closes their connections. The old address
 * is notified of a new one, by a job of the same transaction.
 * @param ip the client's address; wrong old passwords count as failed sign-ins
 * @throws Fault INVALID on an invalid field, a wrong old password or a taken e-mail; LIMITED; UNAVAILABLE
 */
export async function updateCurrentMember(
  deps: AccountDeps,
  { accountId, memberId, email: current, accountSessionId }: AccountViewer,
  changes: CredentialChanges,
  ip: string,
): Promise<void> {
  const { password, oldPassword } = changes;
  const email = changes.email == null ? undefined : checkMemberEmail(changes.email);
  if (password != null) checkPassword(password);
  else if (email === undefined) return;
  if (!oldPassword) throw Fault.field("oldPassword", "is required for a new e-mail or password");
  await deps.limits.countPasswordChange({ kind: "account", id: memberId }, ip);
  const verifiedHash = await verifyPassword(deps, memberId, current, oldPassword, ip);
  const attempt = memberPasswordAttempt(current, ip);
  const passwordHash =
    password == null ? undefined : await deps.passwordHasher.hash(password, attempt);
  const isMoved = email !== undefined && email !== current;
  const enqueueNotice = isMoved ? await deps.openMemberEmailQueue?.() : undefined;
  await refuseTakenEmail(
    deps.store.transaction(async (transaction) => {
      const data = { email, passwordHash };
      // The password may have been changed since it was verified.
      if (!(await writeMemberCredentials(transaction, memberId, data, verifiedHash))) {
        throw Fault.field("oldPassword", "is wrong");
      }
      await enqueueNotice?.(transaction, { accountId, email: current });
      if (passwordHash === undefined) return;
      await deleteOtherAccountSessions(transaction, memberId, accountSessionId);
    }),
  );
  if (passwordHash !== undefined) {
    deps.sessionEvents.publish({
      kind: "member",
      memberId,
      exceptAccountSessionId: accountSessionId,
    });
  }
}

/** Verifies a member's password. @returns its hash @throws Fault INVALID, LIMITED */
async function verifyPassword(
  deps: AccountDeps,
  id: number,
  email: string,
  password: string,
  ip: string,
): Promise<string> {
  const stored = await findMemberCredentials(deps.store, { id });
  const attempt = memberPasswordAttempt(email, ip);
  const hash = stored?.passwordHash ?? null;
  const matches = await deps.limits.attemptPassword(
    attempt,
    async () => (await deps.passwordHasher.verify(hash, password, attempt)) || null,
  );
  if (!matches || hash === null) throw Fault.field("oldPassword", "is wrong");
  return hash;
}
