import { Fault } from "../../core/errors";
import type { Application } from "../application/applications";
import type { Identity } from "../identity";
import type { User } from "../user/user";
import { verifyFacebook } from "./facebook";
import { verifyFirebasePhone } from "./firebase-phone";
import { userOf } from "./provider-users";
import { verifyTwitter } from "./twitter";
import { Refused, Unreachable, type Verified } from "./verified";

/** Who vouches for a user (interface.md "POST /session", parameter provider). */
export type Provider = "facebook" | "twitter" | "firebase_phone";

/** What a provider's sign-in is made of. */
export interface ProviderData {
  provider?: Provider | null;
  /** Facebook's or Twitter's access token; the secret is Twitter's alone. */
  keys?: { token?: string | null; secret?: string | null } | null;
  /** A Firebase ID token of a phone sign-in, and the project that it is of. */
  firebasePhone?: { projectId?: string | null; accessToken?: string | null } | null;
}

/** The one answer to a token that is not good, so that nothing can be learnt by trying. */
const REFUSED = "Unauthorized: the provider did not confirm the token";
/** Seconds after which a provider that gave no answer is worth asking again. */
const RETRY_S = 10;

/**
 * The user that a provider vouches for; made at the first sign-in.
 * @throws Fault INVALID when something is missing or the application does not use the provider,
 * UNAUTHENTICATED in one text for every token that is not good, UNAVAILABLE when the provider cannot
 * be asked, FORBIDDEN for somebody new while the application admits nobody
 */
export async function signInByProvider(
  identity: Identity,
  application: Application,
  data: ProviderData,
): Promise<User> {
  const { provider } = data;
  if (!provider) throw Fault.field("provider", "is required");
  const note = { provider, applicationId: application.id };
  let verified: Verified;
  try {
    verified = await verify(identity, application, provider, data);
  } catch (error) {
    if (error instanceof Refused) {
      identity.log.info({ ...note, reason: error.reason }, "a provider's token was refused");
      throw new Fault("UNAUTHENTICATED", REFUSED);
    }
    if (error instanceof Unreachable) {
      identity.log.warn({ ...note, reason: error.reason }, "a provider could not be asked");
      throw new Fault("UNAVAILABLE", "The provider cannot be reached", undefined, RETRY_S);
    }
    throw error;
  }
  return userOf(identity, application, provider, verified);
}

function verify(
  { clock, config, connector, firebaseKeys }: Identity,
  { settings }: Application,
  provider: Provider,
  { keys, firebasePhone }: ProviderData,
): Promise<Verified> {
  const now = clock.now();
  const asking = { connector, timeoutMs: config.PROVIDER_TIMEOUT_MS };
  switch (provider) {
    case "facebook": {
      const token = given("token", keys?.token);
      return verifyFacebook(setUp(settings.facebook), token, asking, now);
    }
    case "twitter": {
      const pair = { token: given("token", keys?.token), secret: given("secret", keys?.secret) };
      return verifyTwitter(setUp(settings.twitter), pair, asking, now);
    }
    case "firebase_phone": {
      const phone = {
        projectId: given("projectId", firebasePhone?.projectId),
        accessToken: given("accessToken", firebasePhone?.accessToken),
      };
      return verifyFirebasePhone(setUp(settings.firebase), phone, firebaseKeys, now);
    }
  }
}

function given(field: string, value: string | null | undefined): string {
  if (!value) throw Fault.field(field, "is required");
  return value;
}

function setUp<Settings>(settings: Settings | undefined): Settings {
  if (settings === undefined) {
    throw Fault.field("provider", "is not set up for this application");
  }
  return settings;
}
