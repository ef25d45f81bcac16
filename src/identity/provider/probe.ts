import { facebookRoot } from "./facebook";
import { KEYS_URL } from "./firebase-phone";
import { askProvider } from "./provider-request";
import { twitterUrl } from "./twitter";
import { type Asking, Refused, Unreachable } from "./verified";

/** Locations of an application's sign-in providers; null for a provider that it does not use. */
export interface ProviderPlaces {
  facebook: { baseUrl: string | null; version: string | null } | null;
  twitter: { baseUrl: string | null } | null;
  firebase: { keysUrl: string | null } | null;
}

/** A URL that sign-in through a provider requests. */
export interface ProviderAddress {
  provider: keyof ProviderPlaces;
  url: string;
}

/** The URL that sign-in requests from each provider of the application. */
export function providerAddresses(providers: ProviderPlaces): ProviderAddress[] {
  const { facebook, twitter, firebase } = providers;
  return [
    ...(facebook
      ? [{ provider: "facebook" as const, url: `${facebookRoot(facebook)}/debug_token` }]
      : []),
    ...(twitter ? [{ provider: "twitter" as const, url: twitterUrl(twitter) }] : []),
    ...(firebase ? [{ provider: "firebase" as const, url: firebase.keysUrl ?? KEYS_URL }] : []),
  ];
}

/**
 * Checks that a provider responds, with a request that carries no token or secret. Facebook and Twitter
 * reject such a request in a known form; Firebase's keys are public.
 * @throws ProviderUnavailable with the reason
 */
export async function probeProvider(
  { provider, url }: ProviderAddress,
  options: Asking,
): Promise<void> {
  try {
    const { keys } = await askProvider(url, options);
    if (provider !== "firebase") return;
    if (!Array.isArray(keys) || keys.length === 0) throw new Unreachable("the key set is empty");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (provider === "firebase") throw new Unreachable(error.reason);
  }
}
