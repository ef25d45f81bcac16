import type { Sealer } from "../../../core/sealer";
import type { PushService } from "../channels/channel";
import type { Credentials } from "./credentials";

/** Secret fields of credentials, stored encrypted. The owner may see all other fields. */
const SECRETS: Readonly<Record<PushService, readonly string[]>> = {
  apns: ["key", "privateKey", "passphrase"],
  fcm: ["privateKey"],
  web: ["privateKey"],
};

/** The fields of credentials that are not secret. Which are present depends on the kind. */
export type CredentialSettings = Readonly<Record<string, string | undefined>>;

/** Credentials as stored in a row: the settings as JSON, the secrets as encrypted JSON. */
export interface SealedCredentials {
  settings: Record<string, string>;
  secret: string;
}

/** Purpose that binds a service's sealed secrets to their use. */
export function purposeOf(service: PushService): string {
  return `push.${service}`;
}

/** Splits credentials into settings and encrypted secrets for the database. */
export function sealCredentials(credentials: Credentials, sealer: Sealer): SealedCredentials {
  const { service, ...fields } = credentials;
  const isSecret = ([name]: [string, unknown]) => SECRETS[service].includes(name);
  const entries = Object.entries(fields);
  const secret = JSON.stringify(Object.fromEntries(entries.filter(isSecret)));
  return {
    settings: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: sealer.seal(secret, purposeOf(service)),
  };
}

/** Decrypts and merges a row's credentials. @throws Error if no key decrypts the secret */
export function openCredentials(
  service: PushService,
  row: { settings: CredentialSettings; secret: string },
  sealer: Sealer,
): Credentials {
  const secret = JSON.parse(sealer.open(row.secret, purposeOf(service))) as CredentialSettings;
  // Both parts come from credentials of this service that were validated when they were set.
  return { service, ...row.settings, ...secret } as unknown as Credentials;
}
