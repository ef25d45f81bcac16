import { facebookRoot } from "./facebook";
import { KEYS_URL } from "./firebase-phone";
import { askProvider } from "./provider-request";
import { twitterUrl } from "./twitter";
import { type Asking, Refused, Unreachable } from "./verified";

/** Where the providers of an application are; null for a provider that it does not use. */
export interface ProviderPlaces {
  facebook: { baseUrl: string | null; version: string | null } | null;
  twitter: { baseUrl: string | null } | null;
  firebase: { keysUrl: string | null } | null;
}

/** An address that sign-in through a provider asks. */
export interface ProviderAddress {
  provider: keyof ProviderPlaces;
  url: string;
}

/** The addresses that sign-in asks, by provider. */
export function providerAddresses(places: ProviderPlaces): ProviderAddress[] {
  const { facebook, twitter, firebase } = places;
  return [
    ...(facebook
      ? [{ provider: "facebook" as const, url: `${facebookRoot(facebook)}/debug_token` }]
      : []),
    ...(twitter ? [{ provider: "twitter" as const, url: twitterUrl(twitter) }] : []),
    ...(firebase ? [{ provider: "firebase" as const, url: firebase.keysUrl ?? KEYS_URL }] : []),
  ];
}

/**
 * Asks an address without a token or a secret, to see whether its provider is there: Facebook and
 * Twitter refuse that in their own form, Firebase publishes its keys to everybody.
 * @throws Unreachable with what is wrong
 */
export async function probeProvider(
  { provider, url }: ProviderAddress,
  asking: Asking,
): Promise<void> {
  try {
    const { keys } = await askProvider(url, asking);
    if (provider !== "firebase") return;
    if (!Array.isArray(keys) || keys.length === 0) throw new Unreachable("an answer without keys");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (provider === "firebase") throw new Unreachable(error.reason);
  }
}
