import type { MemberRole } from "../../core/viewer";
import type { Prisma } from "../../platform/store/generated/client";
import { expiredRows } from "../../platform/store/rows/expired-rows";
import type { Store, Transaction } from "../../platform/store/store";

/**
 * Statements on account_invitations. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** An open invitation to an account. */
export interface AccountInvitation {
  id: number;
  accountId: number;
  /** In lower case. */
  email: string;
  role: MemberRole;
  /** E-mail address of the owner who made it; null in rows that are older than the column. */
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** An invitation to insert. */
export interface NewInvitation extends Omit<AccountInvitation, "id" | "invitedBy"> {
  secretHash: Buffer;
  /** The owner who makes it. */
  invitedById: number;
}

/** The columns of an {@link AccountInvitation}. */
const INVITATION = {
  id: true,
  accountId: true,
  email: true,
  role: true,
  inviter: { select: { email: true } },
  createdAt: true,
  expiresAt: true,
} as const satisfies Prisma.AccountInvitationSelect;

/** Deletes a batch of invitations that expired. */
export const EXPIRED_INVITATIONS = expiredRows("account_invitations");

/** Lists the open invitations to an account, by address. */
export async function listOpenInvitations(
  { db }: Pick<Store, "db">,
  accountId: number,
  now: Date,
): Promise<AccountInvitation[]> {
  const rows = await db.accountInvitation.findMany({
    where: { accountId: BigInt(accountId), expiresAt: { gt: now } },
    orderBy: { email: "asc" },
    select: INVITATION,
  });
  return rows.map(toInvitation);
}

/** Counts the open invitations to an account. */
export async function countOpenInvitations(
  { prisma }: Pick<Transaction, "prisma">,
  accountId: number,
  now: Date,
): Promise<number> {
  const { accountInvitation } = await prisma();
  const where = { accountId: BigInt(accountId), expiresAt: { gt: now } };
  return accountInvitation.count({ where });
}

/** Inserts an invitation. */
export async function insertInvitation(
  { prisma }: Pick<Transaction, "prisma">,
  columns: NewInvitation,
): Promise<AccountInvitation> {
  const { accountInvitation } = await prisma();
  const accountId = BigInt(columns.accountId);
  const secretHash = new Uint8Array(columns.secretHash);
  const data = { ...columns, secretHash, accountId, invitedById: BigInt(columns.invitedById) };
  return toInvitation(await accountInvitation.create({ data, select: INVITATION }));
}

/** Deletes an invitation of an account to an address, if there is one. */
export async function deleteInvitationOf(
  { prisma }: Pick<Transaction, "prisma">,
  accountId: number,
  email: string,
): Promise<void> {
  const { accountInvitation } = await prisma();
  await accountInvitation.deleteMany({ where: { accountId: BigInt(accountId), email } });
}

/** Deletes the invitations that a member made. */
export async function deleteInvitationsBy(
  { prisma }: Pick<Transaction, "prisma">,
  memberId: number,
): Promise<void> {
  const { accountInvitation } = await prisma();
  await accountInvitation.deleteMany({ where: { invitedById: BigInt(memberId) } });
}

/**
 * Gives an open invitation its secret, also the one that it has.
 * @returns the invitation and the name of its account; null if there is none
 */
export async function writeInvitationSecret(
  { db }: Pick<Store, "db">,
  id: number,
  secretHash: Buffer,
  now: Date,
): Promise<(AccountInvitation & { accountName: string }) | null> {
  const where = { id: BigInt(id), expiresAt: { gt: now } };
  const data = { secretHash: new Uint8Array(secretHash) };
  if ((await db.accountInvitation.updateMany({ where, data })).count === 0) return null;
  const row = await db.accountInvitation.findUnique({
    where: { id: BigInt(id) },
    select: { ...INVITATION, account: { select: { name: true } } },
  });
  if (row === null) return null;
  const { account, ...invitation } = row;
  return { ...toInvitation(invitation), accountName: account.name };
}

/** Finds the open invitation with a secret; null if there is none. */
export async function findInvitation(
  { db }: Pick<Store, "db">,
  secretHash: Buffer,
  now: Date,
): Promise<AccountInvitation | null> {
  const row = await db.accountInvitation.findUnique({
    where: { secretHash: new Uint8Array(secretHash), expiresAt: { gt: now } },
    select: INVITATION,
  });
  return row && toInvitation(row);
}

/** Deletes an open invitation. @returns whether there was one, with this secret if it is given */
export async function deleteInvitation(
  { prisma }: Pick<Transaction, "prisma">,
  { id, accountId }: Pick<AccountInvitation, "id" | "accountId">,
  now: Date,
  secretHash?: Buffer,
): Promise<boolean> {
  const { accountInvitation } = await prisma();
  const where = {
    id: BigInt(id),
    accountId: BigInt(accountId),
    expiresAt: { gt: now },
    ...(secretHash === undefined ? {} : { secretHash: new Uint8Array(secretHash) }),
  };
  return (await accountInvitation.deleteMany({ where })).count > 0;
}

function toInvitation({
  inviter,
  ...row
}: Prisma.AccountInvitationGetPayload<{ select: typeof INVITATION }>): AccountInvitation {
  const invitedBy = inviter?.email ?? null;
  return { ...row, id: Number(row.id), accountId: Number(row.accountId), invitedBy };
}
