import { z } from "zod";
import type { Sealer } from "../../core/sealer";

/** Sign-in through Facebook (developers.facebook.com "Access Tokens"). */
const facebook = z.object({
  appId: z.string(),
  /** Sealed in the database. */
  appSecret: z.string(),
  /** Of the Graph API; Facebook's own by default. */
  baseUrl: z.string().optional(),
  /** Version of the Graph API, as `v19.0`. */
  version: z.string().optional(),
});

/** Sign-in through Twitter (OAuth 1.0a, RFC 5849). */
const twitter = z.object({
  consumerKey: z.string(),
  /** Sealed in the database. */
  consumerSecret: z.string(),
  /** Of the API; Twitter's own by default. */
  baseUrl: z.string().optional(),
});

/** Sign-in by phone number through Firebase (firebase.google.com "Verify ID Tokens"). */
const firebase = z.object({
  projectId: z.string(),
  /** Where Google publishes the keys that sign tokens, as a JSON Web Key Set; Google's by default. */
  keysUrl: z.string().optional(),
});

const settings = z.object({
  facebook: facebook.optional(),
  twitter: twitter.optional(),
  firebase: firebase.optional(),
});

/** What an account owner sets for an application, beside the columns of its row. */
export type ApplicationSettings = z.infer<typeof settings>;

/** Which of the settings are secrets, sealed where they are stored: group and field. */
const SECRETS: ReadonlyArray<readonly [group: keyof ApplicationSettings, field: string]> = [
  ["facebook", "appSecret"],
  ["twitter", "consumerSecret"],
];

/** The settings of a row, their secrets opened. @throws Error when no key opens one */
export function readSettings(json: unknown, sealer: Sealer): ApplicationSettings {
  return mapSecrets(settings.parse(json), (text, purpose) => sealer.open(text, purpose));
}

/** The settings as a row keeps them, their secrets sealed. */
export function writeSettings(given: ApplicationSettings, sealer: Sealer): ApplicationSettings {
  return mapSecrets(given, (text, purpose) => sealer.seal(text, purpose));
}

/**
 * The settings of a row with every secret sealed under the first key, or null where all of them are.
 * What other rooms keep there stays as it is.
 * @throws Error when no key opens one
 */
export function resealSettings(json: unknown, sealer: Sealer): unknown {
  const copy = structuredClone(json ?? {}) as Record<string, Record<string, unknown> | undefined>;
  let stale = false;
  for (const [group, field] of SECRETS) {
    const values = copy[group];
    const value = values?.[field];
    if (values === undefined || typeof value !== "string") continue;
    const purpose = `${group}.${field}`;
    // Opened in any case, to show that the keys are the right ones.
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
