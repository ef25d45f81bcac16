import { findOwnedApplication } from "../applications/owned-applications";
import type { ApplicationSettings } from "../applications/settings";
import { checkFacebook } from "./facebook";
import { probeProvider, providerAddresses } from "./probe";
import type { SignInProvider } from "./provider-sign-in";
import type { SignInDeps } from "./sign-in-deps";
import { checkTwitter } from "./twitter";
import {
  type ProviderRequestOptions,
  ProviderUnavailable,
  TokenRejected,
} from "./verified-identity";

/** Result of checking an application's settings of a provider. Neither text contains a secret. */
export interface ProviderCheck {
  outcome: "accepted" | "refused" | "unreachable" | "not_set";
  /** The provider's reason; null without one. */
  reason: string | null;
  /** The result as a sentence. */
  message: string;
}

/** How a provider is checked, and what the results mean. */
interface ProviderRow {
  /** Checks the settings; null if they are incomplete. @throws TokenRejected, ProviderUnavailable */
  check(settings: ApplicationSettings, options: ProviderRequestOptions): Promise<void> | null;
  accepted: string;
  refused: string;
  unreachable: string;
  not_set: string;
}

const PROVIDERS: Readonly<Record<SignInProvider, ProviderRow>> = {
  facebook: {
    check: ({ facebook }, options) =>
      facebook?.appId && facebook.appSecret ? checkFacebook(facebook, options) : null,
    accepted: "Facebook accepts the app id and the app secret.",
    refused: "Facebook refuses the app id and the app secret: they do not belong together.",
    unreachable: "Facebook gave no answer about the app id and the app secret",
    not_set: "The app id or the app secret of Facebook is not set.",
  },
  twitter: {
    check: ({ twitter }, options) =>
      twitter?.consumerKey && twitter.consumerSecret ? checkTwitter(twitter, options) : null,
    accepted: "Twitter accepts the consumer key and the consumer secret.",
    refused:
      "Twitter refuses the consumer key and the consumer secret: they do not belong together.",
    unreachable: "Twitter gave no answer about the consumer key and the consumer secret",
    not_set: "The consumer key or the consumer secret of Twitter is not set.",
  },
  firebase_phone: {
    check: ({ firebase }, options) => (firebase?.projectId ? checkKeys(firebase, options) : null),
    accepted:
      "The keys that verify phone sign-ins can be read. Google confirms the project id only with a sign-in.",
    refused: "The keys that verify phone sign-ins cannot be read.",
    unreachable: "The keys that verify phone sign-ins could not be read",
    not_set: "The project id of Firebase is not set.",
  },
};

/**
 * Asks a provider whether it accepts an application's settings. Signs nobody in.
 * @throws Fault NOT_FOUND
 */
export async function checkProvider(
  deps: Pick<SignInDeps, "store" | "sealer" | "clock" | "config" | "connector">,
  accountId: number,
  applicationId: string,
  provider: SignInProvider,
): Promise<ProviderCheck> {
  const { settings } = await findOwnedApplication(deps, accountId, applicationId);
  const { connector, config } = deps;
  const row = PROVIDERS[provider];
  try {
    const checking = row.check(settings, { connector, timeoutMs: config.PROVIDER_TIMEOUT_MS });
    if (checking === null) return { outcome: "not_set", reason: null, message: row.not_set };
    await checking;
    return { outcome: "accepted", reason: null, message: row.accepted };
  } catch (error) {
    if (error instanceof TokenRejected) {
      return { outcome: "refused", reason: error.reason, message: row.refused };
    }
    if (!(error instanceof ProviderUnavailable)) throw error;
    const { reason } = error;
    return { outcome: "unreachable", reason, message: `${row.unreachable}: ${reason}.` };
  }
}

async function checkKeys(
  { keysUrl }: NonNullable<ApplicationSettings["firebase"]>,
  options: ProviderRequestOptions,
): Promise<void> {
  const used = { facebook: null, twitter: null, firebase: { keysUrl: keysUrl ?? null } };
  for (const address of providerAddresses(used)) await probeProvider(address, options);
}
