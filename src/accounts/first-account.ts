import { newToken } from "../core/random";
import type { Store, Transaction } from "../store/store";

const FIRST = {
  name: "first_account",
  text: "SELECT email FROM accounts ORDER BY id LIMIT 1",
};

/** An account with or without an owner. */
export interface FirstAccount {
  id: bigint;
  /** The owner's e-mail; null without an owner. */
  email: string | null;
}

/** Returns whether the first account exists and has an owner. */
export async function hasOwner({ query }: Pick<Store, "query">): Promise<boolean> {
  const [first] = await query<{ email: string | null }>(FIRST, []);
  return first !== undefined && first.email !== null;
}

/** Finds the oldest account; null if there is none. */
export async function findFirstAccount({ prisma }: Transaction): Promise<FirstAccount | null> {
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
): Promise<{ id: bigint; accountKey: string }> {
  const data = { name, accountKey: newToken(), email, passwordHash };
  return (await prisma()).account.create({ data, select: { id: true, accountKey: true } });
}
