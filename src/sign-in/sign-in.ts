import type { Application } from "../applications/applications";
import { Fault } from "../core/errors";
import {
  checkCredentials,
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
  if (another !== undefined) throw invalid(`${kind} and ${another} do not go together`);
  await deps.limits.countForAddress("sign-in", from.ip);
  await deps.limits.countForApplication("sign-in", application.id);
  if (kind === "user[guest]") {
    const user = await createGuest(deps, application, data.fullName ?? null);
    return { user, passwordHash: null };
  }
  if (kind === "provider") {
    return { user: await signInByProvider(deps, application, data), passwordHash: null };
  }
  return checkCredentials(deps, application.id, data, from.ip);
}

/** The kinds of credentials of which at least one field is set, by their REST parameters. */
function credentialKinds(data: SignInData): string[] {
  const kinds: string[] = [];
  if (data.guest) kinds.push("user[guest]");
  const fields = [data.provider, ...Object.values({ ...data.keys, ...data.firebasePhone })];
  if (fields.some(Boolean)) kinds.push("provider");
  if (data.login || data.email || data.password) kinds.push("user[login] or user[email]");
  return kinds;
}

function invalid(text: string): Fault {
  return new Fault("INVALID", text, { base: [text] });
}
