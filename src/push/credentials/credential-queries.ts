import { streamRows } from "../../store/rows/stream-rows";
import type { Statement, Store } from "../../store/store";
import type { PushEnvironment, PushService } from "../channels/channel";
import type { CredentialSettings, SealedCredentials } from "./sealed-credentials";

/**
 * Statements on push_credentials. A function takes `query` of the store or of a transaction, and throws
 * Fault UNAVAILABLE if the database cannot be reached.
 */

/** Identifies credentials: an application has one set per environment and service. */
export interface CredentialKey {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
}

/** Stored credentials: the settings, and the encrypted secrets. */
export interface StoredCredentials {
  settings: CredentialSettings;
  secret: string;
}

/** Credentials of an application without their secrets. */
export interface ListedCredentials extends CredentialKey {
  settings: CredentialSettings;
  updatedAt: Date;
}

/** The encrypted secrets of one row. */
export interface StoredSecret {
  id: number;
  service: PushService;
  secret: string;
}

const FIND: Statement = {
  name: "push_credentials",
  text: `SELECT settings, secret FROM push_credentials WHERE application_id = $1
    AND environment = $2::push_environment AND service = $3::push_service`,
};

const LIST: Statement = {
  name: "push_credentials_of_applications",
  text: `SELECT application_id AS "applicationId", environment::text, service::text, settings,
      updated_at AS "updatedAt"
    FROM push_credentials WHERE application_id = ANY($1::bigint[]) ORDER BY id`,
};

const SET: Statement = {
  name: "set_push_credentials",
  text: `INSERT INTO push_credentials (application_id, environment, service, settings, secret,
      created_at, updated_at)
    VALUES ($1, $2::push_environment, $3::push_service, $4::text::jsonb, $5, $6, $6)
    ON CONFLICT (application_id, environment, service) DO UPDATE
      SET settings = excluded.settings, secret = excluded.secret, updated_at = excluded.updated_at`,
};

const CLEAR: Statement = {
  name: "clear_push_credentials",
  text: `DELETE FROM push_credentials WHERE application_id = $1
    AND environment = $2::push_environment AND service = $3::push_service RETURNING id`,
};

const SECRETS: Statement = {
  name: "all_push_secrets",
  text: "SELECT id, service, secret FROM push_credentials WHERE id > $1 ORDER BY id LIMIT 500",
};

const RESEAL: Statement = {
  name: "reseal_push_secret",
  // Compare-and-set: another node or the owner may have changed the row.
  text: "UPDATE push_credentials SET secret = $2 WHERE id = $1 AND secret = $3",
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

/** Writes or replaces the credentials of an application for a service. */
export async function writeStoredCredentials(
  query: Store["query"],
  { applicationId, environment, service }: CredentialKey,
  { settings, secret }: SealedCredentials,
  now: Date,
): Promise<void> {
  await query(SET, [applicationId, environment, service, settings, secret, now]);
}

/**
 * Deletes the credentials of an application for a service.
 * @returns whether there were any
 */
export async function deleteStoredCredentials(
  query: Store["query"],
  { applicationId, environment, service }: CredentialKey,
): Promise<boolean> {
  return (await query(CLEAR, [applicationId, environment, service])).length > 0;
}

/** Streams the encrypted secrets of all applications, by id. */
export function streamSecrets(store: Pick<Store, "query">): AsyncGenerator<StoredSecret> {
  return streamRows<StoredSecret>(store, SECRETS);
}

/**
 * Replaces an encrypted secret unless it has changed since it was read.
 * @param row the row as it was read
 */
export async function replaceSecret(
  query: Store["query"],
  row: StoredSecret,
  secret: string,
): Promise<void> {
  await query(RESEAL, [row.id, secret, row.secret]);
}
