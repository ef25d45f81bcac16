import { Fault } from "../../core/errors";
import type { Application } from "../applications/applications";
import {
  checkCredentials,
  countSignIn,
  type PasswordCredentials,
  type SignInResult,
} from "../users/credentials";
import { createGuest } from "../users/guests";
import { type ProviderCredentials, signInByProvider } from "./provider-sign-in";
import type { SignInDeps } from "./sign-in-deps";

/**
 * Sign-in data (schema/rest/session.graphql, login.graphql), exactly one kind of: login or e-mail with the
 * password; a provider with its token; or, only when a session is created, a guest with an optional name.
 */
export interface SignInData extends PasswordCredentials, ProviderCredentials {
  guest?: boolean | null;
  fullName?: string | null;
}

/** Whether the data hold any credentials; without them the request is for an application session. */
export function hasCredentials(data: SignInData): boolean {
  return credentialKinds(data).length > 0;
}

/**
 * Signs a user in. Creates the user for a guest and for the first sign-in through a provider.
 * @param from the client's address
 * @throws Fault INVALID unless the data hold exactly one kind of credentials, UNAUTHENTICATED for wrong
 * ones, LIMITED after too many sign-ins or failures
 */
export async function signIn(
  deps: SignInDeps,
  application: Application,
  data: SignInData,
  from: { ip: string },
): Promise<SignInResult> {
  const [kind, another] = credentialKinds(data);
  if (kind && another) {
    const text = (names: "name" | "restName") =>
      `${kind[names]} and ${another[names]} do not go together`;
    throw Fault.base(text("name"), text("restName"));
  }
  await deps.limits.countForAddress("sign-in", from.ip);
  await deps.limits.countForApplication("sign-in", application.id);
  return countSignIn(deps, application.id, async () => {
    if (kind === GUEST) {
      const user = await createGuest(deps, application, data.fullName ?? null);
      return { user, passwordHash: null };
    }
    if (kind === PROVIDER) {
      return { user: await signInByProvider(deps, application, data), passwordHash: null };
    }
    return checkCredentials(deps, application.id, data, from.ip);
  });
}

/** A kind of credentials, by its fields in GraphQL and by its parameters in REST. */
interface CredentialKind {
  name: string;
  restName: string;
}
const GUEST: CredentialKind = { name: "guest", restName: "user[guest]" };
const PROVIDER: CredentialKind = { name: "provider", restName: "provider" };
const PASSWORD: CredentialKind = {
  name: "login or email",
  restName: "user[login] or user[email]",
};

/** The kinds of credentials of which at least one field is set. */
function credentialKinds(data: SignInData): CredentialKind[] {
  const kinds: CredentialKind[] = [];
  if (data.guest) kinds.push(GUEST);
  const fields = [data.provider, ...Object.values({ ...data.keys, ...data.firebasePhone })];
  if (fields.some(Boolean)) kinds.push(PROVIDER);
  if (data.login || data.email || data.password) kinds.push(PASSWORD);
  return kinds;
}
