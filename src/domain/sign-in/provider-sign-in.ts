import { Fault } from "../../core/errors";
import { warnRarely } from "../../core/log";
import type { Application } from "../applications/applications";
import type { User } from "../users/user";
import { verifyFacebook } from "./facebook";
import { verifyFirebasePhone } from "./firebase-phone";
import { findOrCreateUser } from "./provider-users";
import type { SignInDeps } from "./sign-in-deps";
import { verifyTwitter } from "./twitter";
import {
  ProviderUnavailable,
  RETRY_AFTER_S,
  TokenRejected,
  type VerifiedIdentity,
} from "./verified-identity";

/** A sign-in provider (schema/rest/session.graphql, parameter `provider`). */
export type SignInProvider = "facebook" | "twitter" | "firebase_phone";

/** Credentials of a sign-in through a provider. */
export interface ProviderCredentials {
  provider?: SignInProvider | null;
  /** An access token of Facebook or Twitter; only Twitter has a secret. */
  keys?: { token?: string | null; secret?: string | null } | null;
  /** A Firebase ID token of a phone sign-in, and its project. */
  firebasePhone?: { projectId?: string | null; accessToken?: string | null } | null;
}

/** The same text for every rejected token, so that clients learn nothing from trying. */
const REFUSED = "Unauthorized: the provider did not confirm the token";
/**
 * Signs a user in through a provider. The first sign-in creates the user.
 * @throws Fault INVALID when a field is missing or the application does not use the provider;
 * UNAUTHENTICATED, with the same text for every rejected token; UNAVAILABLE when the provider is; FORBIDDEN
 * for a new user while the application does not accept sign-ups
 */
export async function signInByProvider(
  deps: SignInDeps,
  application: Application,
  data: ProviderCredentials,
): Promise<User> {
  const { provider } = data;
  if (!provider) throw Fault.field("provider", "is required");
  const logFields = { provider, applicationId: application.id };
  let verified: VerifiedIdentity;
  try {
    verified = await verify(deps, application, provider, data);
  } catch (error) {
    if (error instanceof TokenRejected) {
      deps.log.info({ ...logFields, reason: error.reason }, "a sign-in token was rejected");
      throw new Fault("UNAUTHENTICATED", REFUSED);
    }
    if (error instanceof ProviderUnavailable) {
      throw unavailableProvider(deps, { ...logFields, reason: error.reason });
    }
    throw error;
  }
  return findOrCreateUser(deps, application, provider, verified);
}

/** Logs that a provider of identities or of public keys gave no answer. @returns the fault to throw: UNAVAILABLE */
export function unavailableProvider({ log }: Pick<SignInDeps, "log">, fields: object): Fault {
  warnRarely(log, fields, "a sign-in provider is unavailable");
  return new Fault("UNAVAILABLE", "The provider cannot be reached", undefined, RETRY_AFTER_S);
}

function verify(
  { clock, config, connector, keySets }: SignInDeps,
  { settings }: Application,
  provider: SignInProvider,
  { keys, firebasePhone }: ProviderCredentials,
): Promise<VerifiedIdentity> {
  const now = clock.now();
  const options = { connector, timeoutMs: config.PROVIDER_TIMEOUT_MS };
  switch (provider) {
    case "facebook": {
      const token = required("token", keys?.token);
      return verifyFacebook(configured(settings.facebook), token, options, now);
    }
    case "twitter": {
      const pair = {
        token: required("token", keys?.token),
        secret: required("secret", keys?.secret),
      };
      return verifyTwitter(configured(settings.twitter), pair, options, now);
    }
    case "firebase_phone": {
      const phone = {
        projectId: required("projectId", firebasePhone?.projectId),
        accessToken: required("accessToken", firebasePhone?.accessToken),
      };
      return verifyFirebasePhone(configured(settings.firebase), phone, keySets, now);
    }
  }
}

function required(field: string, value: string | null | undefined): string {
  if (!value) throw Fault.field(field, "is required");
  return value;
}

function configured<Settings>(settings: Settings | undefined): Settings {
  if (settings === undefined) {
    throw Fault.field("provider", "is not set up for this application");
  }
  return settings;
}
