import type { Sealer } from "../../core/sealer";
import type { PushService } from "../channel";
import type { Credentials } from "./credentials";

/** What of credentials is kept apart, encrypted; all else may be shown to the owner. */
const SECRETS: Readonly<Record<PushService, readonly string[]>> = {
  apns: ["key", "privateKey", "passphrase"],
  fcm: ["privateKey"],
  web: ["privateKey"],
};

/** Credentials without what is secret: any one of them may lack what its kind does not have. */
export type ShownCredentials = Readonly<Record<string, string | undefined>>;

/** Credentials as a row keeps them: what may be shown as JSON, the rest as sealed JSON. */
export interface StoredCredentials {
  settings: string;
  secret: string;
}

/** Purpose under which the secrets of a service are sealed. */
export function purposeOf(service: PushService): string {
  return `push.${service}`;
}

/** Parts credentials for the database. */
export function sealCredentials(credentials: Credentials, sealer: Sealer): StoredCredentials {
  const { service, ...fields } = credentials;
  const isSecret = ([name]: [string, unknown]) => SECRETS[service].includes(name);
  const entries = Object.entries(fields);
  const secret = JSON.stringify(Object.fromEntries(entries.filter(isSecret)));
  return {
    settings: JSON.stringify(Object.fromEntries(entries.filter((entry) => !isSecret(entry)))),
    secret: sealer.seal(secret, purposeOf(service)),
  };
}

/** Joins what a row keeps. @throws Error when no key opens the secret */
export function openCredentials(
  service: PushService,
  row: { settings: ShownCredentials; secret: string },
  sealer: Sealer,
): Credentials {
  const secret = JSON.parse(sealer.open(row.secret, purposeOf(service))) as ShownCredentials;
  // Both parts were credentials of this service, checked when they were set, before they were parted.
  return { service, ...row.settings, ...secret } as unknown as Credentials;
}
