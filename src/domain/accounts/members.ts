import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import { type AccountViewer, type MemberRole, roleAllows } from "../../core/viewer";
import type { Transaction } from "../../platform/store/store";
import type { SessionEvent } from "../session-events/session-events";
import type { AccountDeps } from "./account-deps";
import { lockAccount } from "./account-queries";
import { deleteInvitationsBy } from "./invitation-queries";
import {
  type AccountMember,
  deleteMember,
  findAccountMember,
  lockMembers,
  writeMemberRole,
} from "./member-queries";

/** Maximum number of members of an account; their list has no pages. */
export const MEMBERS_MAX = 100;

/** Reads a member. @throws Fault UNAUTHENTICATED if it was removed in the meantime */
export async function readMember(deps: AccountDeps, memberId: number): Promise<AccountMember> {
  const member = await findAccountMember(deps.store, memberId);
  if (member === null) throw Fault.noSession();
  return member;
}

/**
 * Changes the role of a member of the caller's account. The connections of a member who gets a lesser role close on
 * every node, so that subscriptions are checked again. Open invitations by a member who is no longer an owner are deleted,
 * and links to conferences by one who is no longer a developer.
 * @throws Fault NOT_FOUND if the account has no such member; INVALID if no owner would be left; FORBIDDEN if the caller is
 * no longer an owner
 */
export async function updateMember(
  deps: AccountDeps,
  owner: AccountViewer,
  id: string,
  role: MemberRole,
): Promise<AccountMember> {
  const events: SessionEvent[] = [];
  const memberId = await deps.store.transaction(async (transaction) => {
    const { found, roles } = await lockForChange(transaction, owner, id);
    const current = roles.get(found);
    if (role !== "owner") keepOwner(roles, found);
    await writeMemberRole(transaction, found, role);
    if (role !== "owner") await deleteInvitationsBy(transaction, found);
    if (!roleAllows("developer", role)) {
      events.push(...(await deps.endDerived(transaction.query, found)));
    }
    if (current !== undefined && !roleAllows(current, role)) {
      events.push({ kind: "member", memberId: found });
    }
    return found;
  });
  for (const event of events) deps.sessionEvents.publish(event);
  return readMember(deps, memberId);
}

/**
 * Removes a member of the caller's account; also the caller. Its sessions end, its open invitations and its links to
 * conferences are deleted, and its connections close on every node.
 * @returns the member's id
 * @throws as {@link updateMember}
 */
export async function removeMember(
  deps: AccountDeps,
  owner: AccountViewer,
  id: string,
): Promise<number> {
  const events: SessionEvent[] = [];
  const memberId = await deps.store.transaction(async (transaction) => {
    const { found, roles } = await lockForChange(transaction, owner, id);
    keepOwner(roles, found);
    events.push(...(await deps.endDerived(transaction.query, found)));
    await deleteMember(transaction, found);
    return found;
  });
  for (const event of [...events, { kind: "member", memberId } as const]) {
    deps.sessionEvents.publish(event);
  }
  return memberId;
}

/**
 * Locks the caller's account and then its members, so that concurrent changes of members and invitations see each other.
 * A transaction that locks both takes the account first.
 * @returns the roles of the members by id
 * @throws Fault FORBIDDEN if the caller is no longer an owner
 */
export async function lockAsOwner(
  { query }: Pick<Transaction, "query">,
  { accountId, memberId }: AccountViewer,
): Promise<Map<number, MemberRole>> {
  await lockAccount(query, accountId);
  const roles = await lockMembers(query, accountId);
  // A concurrent change may have removed or demoted the caller since the request was authenticated.
  if (roles.get(memberId) !== "owner") {
    throw new Fault("FORBIDDEN", "Your role may not do that: the role owner is needed");
  }
  return roles;
}

/** As {@link lockAsOwner}. @throws Fault NOT_FOUND if the account has no such member */
async function lockForChange(
  transaction: Transaction,
  owner: AccountViewer,
  id: string,
): Promise<{ found: number; roles: Map<number, MemberRole> }> {
  const roles = await lockAsOwner(transaction, owner);
  const found = parseId(id);
  if (found === null || !roles.has(found)) {
    throw new Fault("NOT_FOUND", "There is no such member");
  }
  return { found, roles };
}

/** @throws Fault INVALID if the account would have no owner without this member */
function keepOwner(roles: Map<number, MemberRole>, without: number): void {
  const left = [...roles].some(([id, role]) => role === "owner" && id !== without);
  if (!left) throw Fault.base("An account keeps at least one owner");
}
