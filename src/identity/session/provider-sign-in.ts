import { Fault } from "../../core/errors";
import type { Application } from "../application/applications";
import type { Identity } from "../identity";
import type { User } from "../user/user";

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

/** The user that a provider vouches for. */
export async function signInByProvider(
  _identity: Identity,
  _application: Application,
  _data: ProviderData,
): Promise<User> {
  throw new Fault("UNSUPPORTED", "Sign-in through a provider is not supported yet");
}
