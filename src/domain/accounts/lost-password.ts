import type { AuditDeps } from "../audit/entries/audit-entry";
import { finishAudited, startAudited } from "../audit/entries/record-entry";
import { hashPassword } from "../passwords/password";
import { deleteAccountSessions } from "./account-session-queries";
import {
  findMemberCredentials,
  listOwners,
  type MemberCredentials,
  writeMemberPassword,
} from "./member-queries";

/** The action of the audit log, which is no operation of the API: the operator acts on the database. */
const ACTION = "resetMemberPassword";

/** Names a member by its address, in any case, or the only owner of all accounts. */
export type ResetTarget = { email: string } | "only owner";

/** Why no password was reset. `owners` are the addresses of the owners, at most 20. */
export interface UnknownTarget {
  owners: string[];
}

/**
 * Gives a member a new password without the old one, for the operator of the deployment, and ends all sessions of the
 * member. Running nodes close its sockets within 30 seconds. The entry of the audit log is written in the same
 * transaction.
 * @param password checked by the caller
 * @param requestId of the entry
 * @returns the member with the hash that was replaced, or the owners if the target names no member
 * @throws Fault UNAVAILABLE if the database cannot be reached
 */
export async function resetMemberPassword(
  deps: AuditDeps,
  target: ResetTarget,
  password: string,
  requestId: string,
): Promise<MemberCredentials | UnknownTarget> {
  const member = await findTarget(deps, target);
  if (!("id" in member)) return member;
  const passwordHash = await hashPassword(password);
  const { id: memberId, accountId, email, role } = member;
  const entry = await deps.store.transaction(async (transaction) => {
    await writeMemberPassword(transaction, memberId, passwordHash);
    await deleteAccountSessions({ db: await transaction.prisma() }, memberId);
    const actor = { accountId, memberId, email, role, apiKey: null };
    const input = { targets: [], fields: [] };
    const caller = { ip: "", userAgent: "signalbox member reset-password", requestId };
    return startAudited(deps, { actor, action: ACTION, input, caller }, transaction);
  });
  return finishAudited(deps, entry, async () => member);
}

async function findTarget(
  { store }: AuditDeps,
  target: ResetTarget,
): Promise<MemberCredentials | UnknownTarget> {
  const owners = await listOwners(store);
  if (target !== "only owner") {
    const found = await findMemberCredentials(store, { email: target.email.toLowerCase() });
    return found ?? { owners };
  }
  const [email, ...others] = owners;
  if (email === undefined || others.length > 0) return { owners };
  return (await findMemberCredentials(store, { email })) ?? { owners };
}
