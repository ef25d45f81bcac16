import type { ApiKeyScope, ApiKeyViewer, MemberRole } from "../../core/viewer";
import type { Prisma } from "../../platform/store/generated/client";
import type { Statement, Store, Transaction } from "../../platform/store/store";

/**
 * Statements on api_keys. A function takes the store, or what it uses of a transaction, and throws Fault UNAVAILABLE if
 * the database cannot be reached.
 */

/** An API key as members of the account see it; the key itself is not stored. */
export interface ApiKey {
  id: number;
  applicationId: number;
  name: string;
  scopes: ApiKeyScope[];
  /** Null for a key that does not expire. */
  expiresAt: Date | null;
  /** E-mail address of the member who created it. */
  createdBy: string;
  createdAt: Date;
  /** Written a few seconds after the use; null before the first. */
  lastUsedAt: Date | null;
}

/** An API key to insert. */
export interface NewApiKey extends Omit<ApiKey, "id" | "createdBy" | "lastUsedAt"> {
  keyHash: Buffer;
  createdById: number;
}

/** The columns of an {@link ApiKey}. */
const API_KEY = {
  id: true,
  applicationId: true,
  name: true,
  scopes: true,
  expiresAt: true,
  createdBy: { select: { email: true } },
  createdAt: true,
  lastUsedAt: true,
} as const satisfies Prisma.ApiKeySelect;

/** A key of a member without the role would be one that a change of the role has missed. */
const FIND: Statement = {
  name: "find_api_key",
  text: `SELECT k.id, k.name, k.application_id, k.scopes::text[] AS scopes, k.expires_at,
      a.account_id, m.id AS member_id, m.email, m.role
    FROM api_keys k JOIN applications a ON a.id = k.application_id
    JOIN account_members m ON m.id = k.created_by AND m.account_id = a.account_id
    WHERE k.key_hash = $1 AND m.role <> 'support'`,
};

const DELETE_OF_MEMBER: Statement = {
  name: "delete_api_keys_of_member",
  text: "DELETE FROM api_keys WHERE created_by = $1",
};

/** Sorted ids, so that two nodes wait for each other in one order. */
const TOUCH: Statement = {
  name: "touch_api_keys",
  text: `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, t.at)
    FROM (SELECT id, to_timestamp(ms / 1000.0) AS at
          FROM unnest($1::bigint[], $2::float8[]) AS v(id, ms) ORDER BY id) t
    WHERE k.id = t.id`,
};

/** Finds the API key of a hash, with when it expires; null if there is none. */
export async function findApiKeyByHash(
  { query }: Pick<Store, "query">,
  keyHash: Buffer,
): Promise<{ key: ApiKeyViewer; expiresAt: Date | null } | null> {
  interface Row {
    id: number;
    name: string;
    application_id: number;
    scopes: ApiKeyScope[];
    expires_at: Date | null;
    account_id: number;
    member_id: number;
    email: string;
    role: MemberRole;
  }
  const [row] = await query<Row>(FIND, [keyHash]);
  if (row === undefined) return null;
  const { id, name, scopes, email, role } = row;
  const key: ApiKeyViewer = {
    ...{ kind: "api-key", id, name, scopes },
    applicationId: row.application_id,
    accountId: row.account_id,
    creator: { memberId: row.member_id, email, role },
  };
  return { key, expiresAt: row.expires_at };
}

/** Finds the application of an API key; null if there is no such key. */
export async function findApplicationOfApiKey(
  { db }: Pick<Store, "db">,
  id: number,
): Promise<number | null> {
  const where = { id: BigInt(id) };
  const row = await db.apiKey.findUnique({ where, select: { applicationId: true } });
  return row && Number(row.applicationId);
}

/** Lists the API keys of an application, oldest first. */
export async function listApiKeysOfApplication(
  { db }: Pick<Store, "db">,
  applicationId: number,
): Promise<ApiKey[]> {
  const where = { applicationId: BigInt(applicationId) };
  const rows = await db.apiKey.findMany({ where, orderBy: { id: "asc" }, select: API_KEY });
  return rows.map(toApiKey);
}

/** Counts the API keys of an application. */
export async function countApiKeys(
  { prisma }: Pick<Transaction, "prisma">,
  applicationId: number,
): Promise<number> {
  return (await prisma()).apiKey.count({ where: { applicationId: BigInt(applicationId) } });
}

/** Inserts an API key. @throws a unique violation if the application has one of this name */
export async function insertApiKey(
  { prisma }: Pick<Transaction, "prisma">,
  { applicationId, createdById, keyHash, ...columns }: NewApiKey,
): Promise<ApiKey> {
  const { apiKey } = await prisma();
  const data = {
    ...columns,
    applicationId: BigInt(applicationId),
    createdById: BigInt(createdById),
    keyHash: new Uint8Array(keyHash),
  };
  return toApiKey(await apiKey.create({ data, select: API_KEY }));
}

/** Deletes an API key. @returns whether there was one */
export async function deleteApiKey({ db }: Pick<Store, "db">, id: number): Promise<boolean> {
  return (await db.apiKey.deleteMany({ where: { id: BigInt(id) } })).count > 0;
}

/**
 * Sets when API keys were last used.
 * @param columns ids, and times in milliseconds since the Unix epoch
 */
export async function writeApiKeyUses(
  { query }: Pick<Store, "query">,
  columns: [ids: number[], times: number[]],
): Promise<void> {
  await query(TOUCH, columns);
}

/** Deletes the API keys that a member created. */
export async function deleteApiKeysOfMember(
  query: Store["query"],
  memberId: number,
): Promise<void> {
  await query(DELETE_OF_MEMBER, [memberId]);
}

function toApiKey({
  createdBy,
  ...row
}: Prisma.ApiKeyGetPayload<{ select: typeof API_KEY }>): ApiKey {
  return {
    ...row,
    id: Number(row.id),
    applicationId: Number(row.applicationId),
    createdBy: createdBy.email,
  };
}
