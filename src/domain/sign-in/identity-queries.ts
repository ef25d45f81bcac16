import { exportedList } from "../../platform/store/rows/exported-list";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on identities. A function takes the store, or what it uses of a transaction, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** A subject of a sign-in provider, or a name that an application's backend gives a user, in an application. */
export interface Identity {
  applicationId: number;
  provider: string;
  subject: string;
}

const EXPORT: Statement = {
  name: "export_identities",
  text: `SELECT to_jsonb(i) AS row, jsonb_build_array(i.id) AS next FROM identities i
    WHERE i.user_id = $1 AND i.id > $2 ORDER BY i.id LIMIT $3::int`,
};

const ADD: Statement = {
  name: "add_identity",
  text: `INSERT INTO identities (application_id, provider, subject, user_id, created_at)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
};

const HAS: Statement = {
  name: "has_identity",
  text: "SELECT 1 AS one FROM identities WHERE user_id = $1 AND ($2::text IS NULL OR provider = $2) LIMIT 1",
};

/** Finds the user of an identity; null if there is none. */
export async function findUserOfIdentity(
  { db }: Pick<Store, "db">,
  { applicationId, provider, subject }: Identity,
): Promise<number | null> {
  const key = { applicationId: BigInt(applicationId), provider, subject };
  const row = await db.identity.findUnique({
    where: { applicationId_provider_subject: key },
    select: { userId: true },
  });
  return row && Number(row.userId);
}

/** Inserts the identity of a user. @throws a unique violation if a user has it */
export async function insertIdentity(
  { prisma }: Pick<Transaction, "prisma">,
  { applicationId, provider, subject }: Identity,
  userId: number,
  createdAt: Date,
): Promise<void> {
  const { identity } = await prisma();
  const user = { userId: BigInt(userId), applicationId: BigInt(applicationId) };
  await identity.create({ data: { ...user, provider, subject, createdAt }, select: { id: true } });
}

/** Inserts the identity of a user, unless a user has it. @throws a foreign key violation if the user does not exist */
export async function addIdentity(
  { query }: Pick<Store, "query">,
  { applicationId, provider, subject }: Identity,
  userId: number,
  createdAt: Date,
): Promise<void> {
  await query(ADD, [applicationId, provider, subject, userId, createdAt]);
}

/** Whether a user has an identity of a provider, or of any (null). */
export async function hasIdentity(
  { query }: Pick<Store, "query">,
  userId: number,
  provider: string | null,
): Promise<boolean> {
  return (await query(HAS, [userId, provider])).length > 0;
}

/** The identities of a user in an export. */
export const EXPORTED_IDENTITIES = exportedList("identities", EXPORT);
