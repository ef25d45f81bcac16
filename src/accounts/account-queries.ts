import { newToken } from "../core/random";
import type { Prisma } from "../store/generated/client";
import type { Statement, Store, Transaction } from "../store/store";

/**
 * Statements on accounts. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** An account as its owner sees it. */
export interface Account {
  id: number;
  name: string;
  email: string | null;
  accountKey: string;
  /** Endpoints of the account's own servers; null for this deployment's. */
  apiEndpoint: string | null;
  chatEndpoint: string | null;
  turnserverEndpoint: string | null;
}

/** What an owner signs in with. */
export interface StoredOwner {
  id: number;
  /** In lower case; null without an owner. */
  email: string | null;
  passwordHash: string | null;
}

/** The oldest account. */
export interface FirstAccount {
  id: bigint;
  /** The owner's e-mail; null without an owner. */
  email: string | null;
}

/** The columns of an {@link Account}. */
const ACCOUNT = {
  id: true,
  name: true,
  email: true,
  accountKey: true,
  apiEndpoint: true,
  chatEndpoint: true,
  turnserverEndpoint: true,
} as const satisfies Prisma.AccountSelect;

const CREDENTIALS = {
  id: true,
  email: true,
  passwordHash: true,
} as const satisfies Prisma.AccountSelect;

const FIRST: Statement = {
  name: "first_account",
  reason: "start",
  text: "SELECT email FROM accounts ORDER BY id LIMIT 1",
};

/** Serializes processes that start concurrently on an empty database. */
const LOCK_FIRST: Statement = {
  name: "lock_first_account",
  reason: "lock",
  text: "SELECT pg_advisory_xact_lock(52914000::bigint)::text AS locked",
};

const LOCK: Statement = {
  name: "lock_account",
  reason: "lock",
  text: "SELECT id FROM accounts WHERE id = $1 FOR UPDATE",
};

/** Finds an account; null if there is none. */
export async function findAccountById(
  { db }: Pick<Store, "db">,
  id: number,
): Promise<Account | null> {
  return toAccount(await db.account.findUnique({ where: { id: BigInt(id) }, select: ACCOUNT }));
}

/** Finds the account with a key; null if there is none. */
export async function findAccountByKey(
  { db }: Pick<Store, "db">,
  accountKey: string,
): Promise<Account | null> {
  return toAccount(await db.account.findUnique({ where: { accountKey }, select: ACCOUNT }));
}

/** Finds the owner of an account, by the account's id or the e-mail in lower case; null if there is none. */
export async function findOwnerCredentials(
  { db }: Pick<Store, "db">,
  by: { id: number } | { email: string },
): Promise<StoredOwner | null> {
  const where = "id" in by ? { id: BigInt(by.id) } : by;
  const row = await db.account.findUnique({ where, select: CREDENTIALS });
  return row && { ...row, id: Number(row.id) };
}

/**
 * Changes an account.
 * @param verifiedHash the hash that the password must still have; undefined for any
 * @returns whether the account exists and has that hash
 * @throws a unique violation if the e-mail is taken
 */
export async function writeAccount(
  { prisma }: Pick<Transaction, "prisma">,
  id: number,
  data: Prisma.AccountUpdateManyMutationInput,
  verifiedHash?: string | null,
): Promise<boolean> {
  const { account } = await prisma();
  const where = { id: BigInt(id), passwordHash: verifiedHash };
  return (await account.updateMany({ where, data })).count > 0;
}

/** Locks an account until the end of the transaction. */
export async function lockAccount(query: Store["query"], id: number): Promise<void> {
  await query(LOCK, [id]);
}

/** Returns whether the first account exists and has an owner. */
export async function hasOwner({ query }: Pick<Store, "query">): Promise<boolean> {
  const [first] = await query<{ email: string | null }>(FIRST, []);
  return first !== undefined && first.email !== null;
}

/** Locks the creation of the first account until the end of the transaction, and finds it; null if there is none. */
export async function lockFirstAccount({
  query,
  prisma,
}: Transaction): Promise<FirstAccount | null> {
  await query(LOCK_FIRST, []);
  const { account } = await prisma();
  return account.findFirst({ orderBy: { id: "asc" }, select: { id: true, email: true } });
}

/**
 * Gives an account without an owner one.
 * @returns false if it has an owner, or if the e-mail belongs to the owner of another account
 */
export async function addFirstOwner(
  { prisma }: Transaction,
  { id, email: current }: FirstAccount,
  email: string,
  passwordHash: string,
): Promise<boolean> {
  const { account } = await prisma();
  if (current !== null || (await account.count({ where: { email } })) > 0) return false;
  await account.update({ where: { id }, data: { email, passwordHash }, select: { id: true } });
  return true;
}

/** Inserts an account with its owner and a new account key. */
export async function insertAccount(
  { prisma }: Transaction,
  name: string,
  email: string,
  passwordHash: string,
): Promise<{ id: number; accountKey: string }> {
  const { account } = await prisma();
  const data = { name, accountKey: newToken(), email, passwordHash };
  const { id, accountKey } = await account.create({
    data,
    select: { id: true, accountKey: true },
  });
  return { id: Number(id), accountKey };
}

function toAccount(row: (Omit<Account, "id"> & { id: bigint }) | null): Account | null {
  return row && { ...row, id: Number(row.id) };
}
