import { newToken } from "../../core/random";
import type { Prisma } from "../../platform/store/generated/client";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on accounts. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** An account as its members see it. */
export interface Account {
  id: number;
  name: string;
  accountKey: string;
  /** Endpoints of the account's own servers; null for this deployment's. */
  apiEndpoint: string | null;
  chatEndpoint: string | null;
  turnserverEndpoint: string | null;
}

/** The columns of an {@link Account}. */
const ACCOUNT = {
  id: true,
  name: true,
  accountKey: true,
  apiEndpoint: true,
  chatEndpoint: true,
  turnserverEndpoint: true,
} as const satisfies Prisma.AccountSelect;

/** Serializes processes that start concurrently on an empty database. */
const LOCK_FIRST: Statement = {
  name: "lock_first_account",
  text: "SELECT pg_advisory_xact_lock(52914000::bigint)::text AS locked",
};

const LOCK: Statement = {
  name: "lock_account",
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

/** Changes an account, if it exists. */
export async function writeAccount(
  { db }: Pick<Store, "db">,
  id: number,
  data: Prisma.AccountUpdateManyMutationInput,
): Promise<void> {
  await db.account.updateMany({ where: { id: BigInt(id) }, data });
}

/** Locks an account until the end of the transaction. */
export async function lockAccount(query: Store["query"], id: number): Promise<void> {
  await query(LOCK, [id]);
}

/**
 * Locks the creation of the first account until the end of the transaction, and finds its id; null if there is
 * none.
 */
export async function lockFirstAccount({ query, prisma }: Transaction): Promise<number | null> {
  await query(LOCK_FIRST, []);
  const { account } = await prisma();
  const first = await account.findFirst({ orderBy: { id: "asc" }, select: { id: true } });
  return first && Number(first.id);
}

/** Inserts an account with a new account key. */
export async function insertAccount(
  { prisma }: Transaction,
  name: string,
): Promise<{ id: number; accountKey: string }> {
  const { account } = await prisma();
  const data = { name, accountKey: newToken() };
  const { id, accountKey } = await account.create({
    data,
    select: { id: true, accountKey: true },
  });
  return { id: Number(id), accountKey };
}

function toAccount(row: (Omit<Account, "id"> & { id: bigint }) | null): Account | null {
  return row && { ...row, id: Number(row.id) };
}
