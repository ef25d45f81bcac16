import type { MemberRole } from "../../core/viewer";
import type { Prisma } from "../../platform/store/generated/client";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on account_members. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** What a member signs in with. */
export interface MemberCredentials {
  id: number;
  accountId: number;
  /** In lower case. */
  email: string;
  passwordHash: string;
  role: MemberRole;
}

/** A member as the members of its account see it. */
export interface AccountMember {
  id: number;
  email: string;
  role: MemberRole;
  createdAt: Date;
  lastActivityAt: Date | null;
}

/** A member to insert. */
export interface NewAccountMember {
  accountId: number;
  /** In lower case. */
  email: string;
  passwordHash: string;
  role: MemberRole;
}

/** The columns of {@link MemberCredentials}. */
const CREDENTIALS = {
  id: true,
  accountId: true,
  email: true,
  passwordHash: true,
  role: true,
} as const satisfies Prisma.AccountMemberSelect;

/** The columns of an {@link AccountMember}. */
const MEMBER = {
  id: true,
  email: true,
  role: true,
  createdAt: true,
  lastActivityAt: true,
} as const satisfies Prisma.AccountMemberSelect;

/** Number of owners that {@link listOwners} names. */
const OWNERS_LISTED = 20;

const LOCK_MEMBERS: Statement = {
  name: "lock_account_members",
  text: "SELECT id, role FROM account_members WHERE account_id = $1 ORDER BY id FOR UPDATE",
};

const HAS_OWNER: Statement = {
  name: "first_account_owner",
  text: `SELECT id FROM account_members WHERE role = 'owner'
    AND account_id = (SELECT id FROM accounts ORDER BY id LIMIT 1) LIMIT 1`,
};

/** Finds a member by its id or its e-mail in lower case; null if there is none. */
export async function findMemberCredentials(
  { db }: Pick<Store, "db">,
  by: { id: number } | { email: string },
): Promise<MemberCredentials | null> {
  const where = "id" in by ? { id: BigInt(by.id) } : by;
  const row = await db.accountMember.findUnique({ where, select: CREDENTIALS });
  return row && { ...row, id: Number(row.id), accountId: Number(row.accountId) };
}

/** Lists the members of an account, oldest first. */
export async function listMembersOfAccount(
  { db }: Pick<Store, "db">,
  accountId: number,
): Promise<AccountMember[]> {
  const where = { accountId: BigInt(accountId) };
  const rows = await db.accountMember.findMany({ where, orderBy: { id: "asc" }, select: MEMBER });
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

/** Finds a member; null if there is none. */
export async function findAccountMember(
  { db }: Pick<Store, "db">,
  id: number,
): Promise<AccountMember | null> {
  const row = await db.accountMember.findUnique({ where: { id: BigInt(id) }, select: MEMBER });
  return row && { ...row, id: Number(row.id) };
}

/** Whether an address belongs to a member of an account. */
export async function isMemberOfAccount(
  { prisma }: Pick<Transaction, "prisma">,
  accountId: number,
  email: string,
): Promise<boolean> {
  const { accountMember } = await prisma();
  return (await accountMember.count({ where: { email, accountId: BigInt(accountId) } })) > 0;
}

/** Counts the members of an account. */
export async function countMembers(
  { prisma }: Pick<Transaction, "prisma">,
  accountId: number,
): Promise<number> {
  const { accountMember } = await prisma();
  return accountMember.count({ where: { accountId: BigInt(accountId) } });
}

/** Locks the members of an account until the end of the transaction. @returns their current roles by id */
export async function lockMembers(
  query: Store["query"],
  accountId: number,
): Promise<Map<number, MemberRole>> {
  const rows = await query<{ id: number; role: MemberRole }>(LOCK_MEMBERS, [accountId]);
  return new Map(rows.map(({ id, role }) => [id, role]));
}

/** Sets the role of a member. */
export async function writeMemberRole(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
  role: MemberRole,
): Promise<void> {
  const { accountMember } = await prisma();
  await accountMember.updateMany({ where: { id: BigInt(id) }, data: { role } });
}

/** Deletes a member, with its sessions and the invitations that it made. */
export async function deleteMember(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
): Promise<void> {
  const { accountMember } = await prisma();
  await accountMember.deleteMany({ where: { id: BigInt(id) } });
}

/**
 * Inserts a member.
 * @throws a unique violation if the e-mail is taken
 */
export async function insertAccountMember(
  { prisma }: Pick<Transaction, "prisma">,
  member: NewAccountMember,
): Promise<number> {
  const { accountMember } = await prisma();
  const data = { ...member, accountId: BigInt(member.accountId) };
  return Number((await accountMember.create({ data, select: { id: true } })).id);
}

/**
 * Changes the credentials of a member.
 * @param verifiedHash the hash that the password must still have
 * @returns whether the member exists and has that hash
 * @throws a unique violation if the e-mail is taken
 */
export async function writeMemberCredentials(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
  data: { email?: string; passwordHash?: string },
  verifiedHash: string,
): Promise<boolean> {
  const { accountMember } = await prisma();
  const where = { id: BigInt(id), passwordHash: verifiedHash };
  return (await accountMember.updateMany({ where, data })).count > 0;
}

/** Sets the hash of a member's password, whatever it was. */
export async function writeMemberPassword(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
  passwordHash: string,
): Promise<void> {
  const { accountMember } = await prisma();
  await accountMember.updateMany({ where: { id: BigInt(id) }, data: { passwordHash } });
}

/** Lists the addresses of the owners of all accounts, oldest first, at most 20. */
export async function listOwners({ db }: Pick<Store, "db">): Promise<string[]> {
  const owners = await db.accountMember.findMany({
    where: { role: "owner" },
    orderBy: { id: "asc" },
    take: OWNERS_LISTED,
    select: { email: true },
  });
  return owners.map(({ email }) => email);
}

/** Sets the last activity of a member. */
export async function touchMember({ db }: Pick<Store, "db">, id: number, at: Date): Promise<void> {
  await db.accountMember.updateMany({ where: { id: BigInt(id) }, data: { lastActivityAt: at } });
}

/** Returns whether the first account exists and has an owner. */
export async function hasOwner({ query }: Pick<Store, "query">): Promise<boolean> {
  return (await query(HAS_OWNER, [])).length > 0;
}

/**
 * Adds an owner to an account that has none.
 * @returns false if it has an owner, or if the e-mail belongs to a member of any account
 */
export async function addFirstOwner(
  transaction: Transaction,
  accountId: number,
  email: string,
  passwordHash: string,
): Promise<boolean> {
  const { accountMember } = await transaction.prisma();
  const owner = { accountId: BigInt(accountId), role: "owner" } as const;
  if ((await accountMember.count({ where: { OR: [owner, { email }] } })) > 0) return false;
  await insertAccountMember(transaction, { accountId, email, passwordHash, role: "owner" });
  return true;
}
