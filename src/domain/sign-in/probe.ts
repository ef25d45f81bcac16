import { facebookBaseUrl } from "./facebook";
import { FIREBASE_KEYS_URL } from "./firebase-phone";
import { requestProvider } from "./provider-request";
import { twitterVerifyUrl } from "./twitter";
import {
  type ProviderRequestOptions,
  ProviderUnavailable,
  TokenRejected,
} from "./verified-identity";

/** Locations of an application's sign-in providers; null for a provider that it does not use. */
export interface ProviderLocations {
  facebook: { baseUrl: string | null; version: string | null } | null;
  twitter: { baseUrl: string | null } | null;
  firebase: { keysUrl: string | null } | null;
}

/** A URL that sign-in through a provider requests. */
export interface ProviderAddress {
  provider: keyof ProviderLocations;
  url: string;
}

/** The URL that sign-in requests from each provider of the application. */
export function providerAddresses(providers: ProviderLocations): ProviderAddress[] {
  const { facebook, twitter, firebase } = providers;
  return [
    ...(facebook
      ? [{ provider: "facebook" as const, url: `${facebookBaseUrl(facebook)}/debug_token` }]
      : []),
    ...(twitter ? [{ provider: "twitter" as const, url: twitterVerifyUrl(twitter) }] : []),
    ...(firebase
      ? [{ provider: "firebase" as const, url: firebase.keysUrl ?? FIREBASE_KEYS_URL }]
      : []),
  ];
}

/**
 * Checks that a provider responds, with a request that carries no token or secret. Facebook and Twitter
 * reject such a request in a known form; Firebase's keys are public.
 * @throws ProviderUnavailable with the reason
 */
export async function probeProvider(
  { provider, url }: ProviderAddress,
  options: ProviderRequestOptions,
): Promise<void> {
  try {
    const { keys } = await requestProvider(url, options);
    if (provider !== "firebase") return;
    if (!Array.isArray(keys) || keys.length === 0)
      throw new ProviderUnavailable("the key set is empty");
  } catch (error) {
    if (!(error instanceof TokenRejected)) throw error;
    if (provider === "firebase") throw new ProviderUnavailable(error.reason);
  }
}
