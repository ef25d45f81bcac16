import type { Caller } from "../../core/caller";
import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { parseId } from "../../core/text/ids";
import type { AccountViewer, MemberRole } from "../../core/viewer";
import { type Mailer, MailRejectedError } from "../../platform/mail/mail";
import { uniqueViolation } from "../../platform/store/database-errors";
import { purgeRows } from "../../platform/store/rows/expired-rows";
import { checkPassword } from "../passwords/password";
import type { AccountDeps, InvitationMailJob } from "./account-deps";
import { lockAccount } from "./account-queries";
import {
  memberPasswordAttempt,
  openAccountSession,
  type SignedInMember,
  startSignIn,
} from "./account-sessions";
import { checkMemberEmail } from "./current-member";
import { invitationMail, invitationUrl } from "./invitation-mail";
import {
  type AccountInvitation,
  countOpenInvitations,
  deleteInvitation,
  deleteInvitationOf,
  EXPIRED_INVITATIONS,
  findInvitation,
  insertInvitation,
  writeInvitationSecret,
} from "./invitation-queries";
import { countMembers, insertAccountMember, isMemberOfAccount } from "./member-queries";
import { lockAsOwner, MEMBERS_MAX } from "./members";

/** Lifetime of an invitation, in milliseconds. */
const INVITATION_TTL_MS = 24 * 60 * 60 * 1000;
/** Maximum number of open invitations to an account; their list has no pages. */
export const INVITATIONS_MAX = 20;

/** What the secret of a job is sealed as. */
const SEALED_AS = "invitation";

/** An invitation, and the link that its receiver opens, which nothing but the caller and the mail gets. */
export interface MadeInvitation {
  invitation: AccountInvitation;
  link: string;
}

/**
 * Name of the durable job that mails an invitation. It is another one than {@link EARLIER_INVITATION_JOB}, so that no node
 * of an earlier version takes it: that would mail a secret of its own, and the link that the inviting member has seen
 * would end.
 */
export const INVITATION_JOB = "account-invitation-link";
/** Name of the jobs of earlier versions, which have no secret. */
export const EARLIER_INVITATION_JOB = "account-invitation";

/**
 * Invites somebody to the caller's account, in place of an earlier invitation of the address. A background job mails the
 * link, if this deployment can send mail. The database has only the hash of the secret, and the job has it sealed. Whether
 * the address belongs to a member of another account is not revealed: such an invitation cannot be accepted.
 * @throws Fault INVALID on the e-mail, for a member of the account, and beyond the maximum of members or open invitations;
 * FORBIDDEN if the caller is no longer an owner
 */
export async function inviteMember(
  deps: AccountDeps,
  owner: AccountViewer,
  address: string,
  role: MemberRole,
): Promise<MadeInvitation> {
  const { accountId, memberId: invitedById } = owner;
  const email = checkMemberEmail(address);
  const now = new Date(deps.clock.now());
  const secret = newToken();
  const enqueue = await deps.openInvitationQueue?.();
  const invitation = await deps.store.transaction(async (transaction) => {
    const members = await lockAsOwner(transaction, owner);
    if (await isMemberOfAccount(transaction, accountId, email)) {
      throw Fault.field("email", "belongs to a member of the account");
    }
    if (members.size >= MEMBERS_MAX) throw tooManyMembers();
    // A new row, so that a mail of the earlier one that is still to be sent finds none.
    await deleteInvitationOf(transaction, accountId, email);
    if ((await countOpenInvitations(transaction, accountId, now)) >= INVITATIONS_MAX) {
      throw Fault.base(`An account has at most ${INVITATIONS_MAX} open invitations`);
    }
    const expiresAt = new Date(now.getTime() + INVITATION_TTL_MS);
    const secretHash = hashToken(secret);
    const columns = { accountId, email, role, invitedById, secretHash, createdAt: now, expiresAt };
    const inserted = await insertInvitation(transaction, columns);
    const sealedSecret = deps.sealer.seal(secret, SEALED_AS);
    await enqueue?.(transaction, { invitationId: inserted.id, sealedSecret });
    return inserted;
  });
  return { invitation, link: invitationUrl(deps.endpoints.api(), secret) };
}

/**
 * Mails an invitation. Does nothing for one that was revoked, replaced, accepted or has expired.
 * @throws MailError when a retry may help
 */
export async function sendInvitationMail(
  {
    store,
    clock,
    log,
    endpoints,
    sealer,
  }: Pick<AccountDeps, "store" | "clock" | "log" | "endpoints" | "sealer">,
  mailer: Mailer,
  { invitationId, sealedSecret }: InvitationMailJob,
): Promise<void> {
  const secret = sealedSecret === undefined ? newToken() : sealer.open(sealedSecret, SEALED_AS);
  const now = new Date(clock.now());
  const found = await writeInvitationSecret(store, invitationId, hashToken(secret), now);
  if (found === null) return;
  const { email, role, accountName } = found;
  try {
    await mailer.send({ to: email, ...invitationMail(accountName, role, endpoints.api(), secret) });
  } catch (error) {
    // A retry would be rejected as well.
    if (!(error instanceof MailRejectedError)) throw error;
    log.info({ err: error }, "the mail server rejected an invitation");
  }
}

/**
 * Withdraws an open invitation to the caller's account.
 * @returns its id
 * @throws Fault NOT_FOUND; FORBIDDEN if the caller is no longer an owner
 */
export async function revokeInvitation(
  { store, clock }: AccountDeps,
  owner: AccountViewer,
  id: string,
): Promise<number> {
  const parsed = parseId(id);
  const now = new Date(clock.now());
  const revoked =
    parsed !== null &&
    (await store.transaction(async (transaction) => {
      await lockAsOwner(transaction, owner);
      return deleteInvitation(transaction, { id: parsed, accountId: owner.accountId }, now);
    }));
  if (!revoked) throw new Fault("NOT_FOUND", "There is no such invitation");
  return parsed;
}

/**
 * Makes the holder of an invitation a member with a password, and signs it in. Each invitation works once. The entry of
 * the audit log is written with the member, so that no member is without one.
 * @throws Fault INVALID on password when it breaks the rules; INVALID on secret, with the same text, when the invitation is
 * unknown, used, revoked or expired; INVALID if the address or the account has no room for it; the invitation stays open
 * after the first and the last; UNAVAILABLE if the entry cannot be written
 */
export async function acceptInvitation(
  deps: AccountDeps,
  secret: string,
  password: string,
  from: Pick<Caller, "ip" | "userAgent" | "requestId">,
): Promise<SignedInMember> {
  checkPassword(password);
  const secretHash = hashToken(secret);
  // Checked before the hash, so that only the holder of an invitation can make the server compute one.
  const found = await findInvitation(deps.store, secretHash, new Date(deps.clock.now()));
  if (found === null) throw deadInvitation();
  const { id, accountId, email, role } = found;
  const attempt = memberPasswordAttempt(email, from.ip);
  const passwordHash = await deps.passwordHasher.hash(password, attempt);
  const { member, entry } = await deps.store
    .transaction(async (transaction) => {
      // The account first: concurrent uses count each other's members.
      await lockAccount(transaction.query, accountId);
      const now = new Date(deps.clock.now());
      if (!(await deleteInvitation(transaction, { id, accountId }, now, secretHash))) {
        throw deadInvitation();
      }
      if ((await countMembers(transaction, accountId)) >= MEMBERS_MAX) throw tooManyMembers();
      const columns = { accountId, email, passwordHash, role };
      const member = { ...columns, id: await insertAccountMember(transaction, columns) };
      const action = { action: "acceptInvitation", caller: from };
      return { member, entry: await startSignIn(deps, member, action, transaction) };
    })
    .catch((error: unknown) => {
      if (!uniqueViolation(error)?.includes("email")) throw error;
      throw Fault.base("The e-mail address belongs to a member of another account");
    });
  return openAccountSession(deps, member, entry, from);
}

function deadInvitation(): Fault {
  return Fault.field("secret", "is unknown, used or expired");
}

function tooManyMembers(): Fault {
  return Fault.base(`An account has at most ${MEMBERS_MAX} members`);
}

/** Deletes expired invitations. Idempotent and safe to run concurrently. */
export async function purgeInvitations({
  store,
  clock,
}: Pick<AccountDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED_INVITATIONS, new Date(clock.now()));
}
