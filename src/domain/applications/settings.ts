import { z } from "zod";
import type { Sealer } from "../../core/sealer";

/** Sign-in through Facebook (developers.facebook.com "Access Tokens"). */
const facebook = z.object({
  appId: z.string(),
  /** Sealed in the database. */
  appSecret: z.string(),
  /** URL of the Graph API; Facebook's own by default. */
  baseUrl: z.string().optional(),
  /** Version of the Graph API, such as `v19.0`. */
  version: z.string().optional(),
});

/** Sign-in through Twitter (OAuth 1.0a, RFC 5849). */
const twitter = z.object({
  consumerKey: z.string(),
  /** Sealed in the database. */
  consumerSecret: z.string(),
  /** URL of the API; Twitter's own by default. */
  baseUrl: z.string().optional(),
});

/** Sign-in by phone number through Firebase (firebase.google.com "Verify ID Tokens"). */
const firebase = z.object({
  projectId: z.string(),
  /** URL of the JSON Web Key Set that verifies tokens; Google's own by default. */
  keysUrl: z.string().optional(),
});

/** Algorithms of a backend's JWTs (RFC 7518 section 3.1). */
export const JWT_ALGORITHMS = ["HS256", "RS256", "ES256"] as const;
/** What the subject of a backend's JWT is of the user. */
export const JWT_SUBJECTS = ["login", "externalId", "userId"] as const;

/** Sessions by JWTs that the application's backend signs (RFC 7519). */
const jwt = z.object({
  /** The only algorithm that is accepted. */
  algorithm: z.enum(JWT_ALGORITHMS),
  subject: z.enum(JWT_SUBJECTS),
  /** The key of HS256, as text. Sealed in the database. */
  secret: z.string().optional(),
  /** URL of the JSON Web Key Set of RS256 and ES256. */
  jwksUrl: z.string().optional(),
});

const settings = z.object({
  jwt: jwt.optional(),
  facebook: facebook.optional(),
  twitter: twitter.optional(),
  firebase: firebase.optional(),
});

/** The settings of an application that are stored as JSON. */
export type ApplicationSettings = z.infer<typeof settings>;

/** The settings as they are stored: fields by provider. */
export type StoredSettings = Record<string, Record<string, string | undefined>>;

/** The settings that are sealed in the database. */
const SECRETS: ReadonlyArray<readonly [group: keyof ApplicationSettings, field: string]> = [
  ["facebook", "appSecret"],
  ["twitter", "consumerSecret"],
  ["jwt", "secret"],
];

/** Parses the settings of a row and opens their secrets. @throws Error if no key opens a secret */
export function unsealSettings(json: unknown, sealer: Sealer): ApplicationSettings {
  return mapSecrets(settings.parse(json), (text, purpose) => sealer.open(text, purpose));
}

/** Seals the secrets of settings for storage. */
export function sealSettings(given: ApplicationSettings, sealer: Sealer): ApplicationSettings {
  return mapSecrets(given, (text, purpose) => sealer.seal(text, purpose));
}

/**
 * Re-encrypts the secrets of a row's settings with the first key. The settings of other modules stay
 * unchanged.
 * @returns the settings to store, or null if no secret has changed
 * @throws Error if no key opens a secret
 */
export function resealSettings(json: unknown, sealer: Sealer): StoredSettings | null {
  const copy = structuredClone(json ?? {}) as StoredSettings;
  let stale = false;
  for (const [group, field] of SECRETS) {
    const values = copy[group];
    const value = values?.[field];
    if (values === undefined || typeof value !== "string") continue;
    const purpose = `${group}.${field}`;
    // Always opens the secret, to verify the keys.
    const text = sealer.open(value, purpose);
    if (!sealer.isStale(value)) continue;
    values[field] = sealer.seal(text, purpose);
    stale = true;
  }
  return stale ? copy : null;
}

function mapSecrets(
  given: ApplicationSettings,
  change: (text: string, purpose: string) => string,
): ApplicationSettings {
  const copy = structuredClone(given);
  for (const [group, field] of SECRETS) {
    const values = copy[group] as Record<string, string> | undefined;
    const value = values?.[field];
    if (values && value !== undefined) values[field] = change(value, `${group}.${field}`);
  }
  return copy;
}
