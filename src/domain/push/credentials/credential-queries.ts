import { streamRows } from "../../../platform/store/rows/stream-rows";
import type { Statement, Store } from "../../../platform/store/store";
import type { PushEnvironment, PushService } from "../channels/channel";
import type { CredentialSettings, SealedCredentials } from "./sealed-credentials";

/**
 * Statements on push_credentials. A function takes the store, or `query` of it, and throws Fault
 * UNAVAILABLE if the database cannot be reached.
 */

/** Identifies credentials: an application has one set per environment and service. */
export interface CredentialKey {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
}

/** Identifies credentials as they were loaded, apart from those that have been set since. */
export interface LoadedKey extends CredentialKey {
  updatedAt: Date;
}

/** Stored credentials: the settings, and the encrypted secrets. */
export interface StoredCredentials {
  settings: CredentialSettings;
  secret: string;
  updatedAt: Date;
}

/** Credentials of an application without their secrets. */
export interface ListedCredentials extends CredentialKey {
  settings: CredentialSettings;
  updatedAt: Date;
  /** Since when the service refuses them, and why; null while it does not. */
  refusedSince: Date | null;
  refusedReason: string | null;
}

/** The encrypted secrets of one row. */
export interface StoredSecret {
  id: number;
  service: PushService;
  secret: string;
}

const FIND: Statement = {
  name: "push_credentials",
  text: `SELECT settings, secret, updated_at AS "updatedAt" FROM push_credentials
    WHERE application_id = $1 AND environment = $2::push_environment AND service = $3::push_service`,
};

const LIST: Statement = {
  name: "push_credentials_of_applications",
  text: `SELECT application_id AS "applicationId", environment::text, service::text, settings,
      updated_at AS "updatedAt", refused_since AS "refusedSince", refused_reason AS "refusedReason"
    FROM push_credentials WHERE application_id = ANY($1::bigint[]) ORDER BY id`,
};

/** Those that a push service refuses, and those with a certificate, which may expire. */
const LIST_DOUBTFUL: Statement = {
  name: "doubtful_push_credentials",
  text: `SELECT application_id AS "applicationId", environment::text, service::text, settings,
      updated_at AS "updatedAt", refused_since AS "refusedSince", refused_reason AS "refusedReason"
    FROM push_credentials WHERE application_id = ANY($1::bigint[])
      AND (refused_since IS NOT NULL OR settings->>'kind' = 'certificate') ORDER BY id`,
};

/**
 * Leaves `updated_at`, which says when the credentials were set: a verdict about earlier ones, whose pushes were still in
 * flight, is dropped.
 */
const WRITE_VERDICT: Statement = {
  name: "write_push_credential_verdict",
  text: `UPDATE push_credentials SET refused_reason = $4,
      refused_since = CASE WHEN $4::text IS NULL THEN NULL ELSE coalesce(refused_since, $5::timestamptz) END
    WHERE application_id = $1 AND environment = $2::push_environment AND service = $3::push_service
      AND updated_at = $6::timestamptz AND refused_reason IS DISTINCT FROM $4::text`,
};

const SECRETS: Statement = {
  name: "all_push_secrets",
  text: "SELECT id, service, secret FROM push_credentials WHERE id > $1 ORDER BY id LIMIT 500",
};

/** Finds the credentials of an application for a service; null if none are set. */
export async function findStoredCredentials(
  query: Store["query"],
  { applicationId, environment, service }: CredentialKey,
): Promise<StoredCredentials | null> {
  const [row] = await query<StoredCredentials>(FIND, [applicationId, environment, service]);
  return row ?? null;
}

/** Lists the credentials of applications without their secrets, oldest first. */
export function listStoredCredentials(
  query: Store["query"],
  applicationIds: number[],
): Promise<ListedCredentials[]> {
  return query<ListedCredentials>(LIST, [applicationIds]);
}

/** Lists credentials of applications that are refused or have a certificate, oldest first. */
export function listDoubtfulCredentials(
  query: Store["query"],
  applicationIds: number[],
): Promise<ListedCredentials[]> {
  return query<ListedCredentials>(LIST_DOUBTFUL, [applicationIds]);
}

/**
 * Writes whether a service refuses stored credentials, unless others have been set since they were loaded.
 * @param refusal its reason; null if it accepts them
 */
export async function writeVerdict(
  query: Store["query"],
  { applicationId, environment, service, updatedAt }: LoadedKey,
  refusal: string | null,
  now: Date,
): Promise<void> {
  await query(WRITE_VERDICT, [applicationId, environment, service, refusal, now, updatedAt]);
}

/** Writes or replaces the credentials of an application for a service, which nobody has refused yet. */
export async function writeStoredCredentials(
  { db }: Pick<Store, "db">,
  { applicationId, ...key }: CredentialKey,
  sealed: SealedCredentials,
  now: Date,
): Promise<void> {
  const unique = { applicationId: BigInt(applicationId), ...key };
  const data = { ...sealed, updatedAt: now, refusedSince: null, refusedReason: null };
  await db.pushCredential.upsert({
    where: { applicationId_environment_service: unique },
    create: { ...unique, ...data, createdAt: now },
    update: data,
    select: { id: true },
  });
}

/**
 * Deletes the credentials of an application for a service.
 * @returns whether there were any
 */
export async function deleteStoredCredentials(
  { db }: Pick<Store, "db">,
  { applicationId, ...key }: CredentialKey,
): Promise<boolean> {
  const where = { applicationId: BigInt(applicationId), ...key };
  return (await db.pushCredential.deleteMany({ where })).count > 0;
}

/** Streams the encrypted secrets of all applications, by id. */
export function streamCredentialSecrets(store: Pick<Store, "query">): AsyncGenerator<StoredSecret> {
  return streamRows<StoredSecret>(store, SECRETS);
}

/**
 * Replaces an encrypted secret unless it has changed since it was read.
 * @param row the row as it was read
 */
export async function replaceSecret(
  { db }: Pick<Store, "db">,
  row: StoredSecret,
  secret: string,
): Promise<void> {
  // Another node or the owner may have changed the row.
  const where = { id: BigInt(row.id), secret: row.secret };
  await db.pushCredential.updateMany({ where, data: { secret } });
}
