import { Fault } from "../../core/errors";
import type { Application } from "../application/applications";
import type { Identity } from "../identity";
import { type ProviderData, signInByProvider } from "../provider/provider-sign-in";
import { type Credentials, checkCredentials, type SignedIn } from "./credentials";
import { createGuest } from "./guests";

/**
 * Who signs in (interface.md "Allowed sets of user data"): login or e-mail with the password, or a
 * provider with what it asks for; while a session is created also a guest, with a name if there is one.
 */
export interface SignIn extends Credentials, ProviderData {
  guest?: boolean | null;
  fullName?: string | null;
}

/** Whether somebody signs in at all: a request without is the application's. */
export function namesSomebody(data: SignIn): boolean {
  return setsOf(data).length > 0;
}

/**
 * The user who signs in: found, or made where a provider vouches for a new one or a guest is asked for.
 * @param from where the request comes from
 * @throws Fault INVALID when the data are not exactly one of the sets, UNAUTHENTICATED when they are
 * not true, LIMITED when too many sign in from there or too many failed
 */
export async function signIn(
  identity: Identity,
  application: Application,
  data: SignIn,
  from: { ip: string },
): Promise<SignedIn> {
  const [set, another] = setsOf(data);
  if (another !== undefined) throw refused(`${set} and ${another} do not go together`);
  await identity.limits.address("sign-in", from.ip);
  await identity.limits.application("sign-in", application.id);
  if (set === "user[guest]") {
    const user = await createGuest(identity, application, data.fullName ?? null);
    return { user, passwordHash: null };
  }
  if (set === "provider") {
    return { user: await signInByProvider(identity, application, data), passwordHash: null };
  }
  return checkCredentials(identity, application.id, data, from.ip);
}

/** The sets of user data that something is given of, by the names of the REST parameters. */
function setsOf(data: SignIn): string[] {
  const sets: string[] = [];
  if (data.guest) sets.push("user[guest]");
  const parts = [data.provider, ...Object.values({ ...data.keys, ...data.firebasePhone })];
  if (parts.some(Boolean)) sets.push("provider");
  if (data.login || data.email || data.password) sets.push("user[login] or user[email]");
  return sets;
}

function refused(text: string): Fault {
  return new Fault("INVALID", text, { base: [text] });
}
