import { Fault } from "../../core/errors";
import { uniqueViolation } from "../../platform/store/database-errors";
import type { Application } from "../applications/applications";
import type { User } from "../users/user";
import { findStoredUser, insertUserWithTags } from "../users/user-change-queries";
import { checkUserFields } from "../users/user-fields";
import { findUser } from "../users/user-queries";
import { noUser } from "../users/users";
import {
  addIdentity,
  findUserOfIdentity,
  hasIdentity,
  type Identity,
  insertIdentity,
} from "./identity-queries";
import type { SignInDeps } from "./sign-in-deps";

/** How a backend names one of its application's users; never by e-mail, which proves nothing. */
export interface VouchedName {
  kind: "userId" | "login" | "externalId";
  value: string;
  /** The input field that has the name: that of the kind, or `jwt`. */
  field: "userId" | "login" | "externalId" | "jwt";
}

/** What a user whom the backend's first session creates gets. */
export interface VouchedProfile {
  fullName?: string | null;
  tags?: string[] | null;
}

/** Called once for each user who signed up without the backend, before the first session of it. */
export type OnReach = (user: User, note: () => Promise<void>) => Promise<void>;

/** The provider of the identities that sessions of an application's backend write. */
const BACKEND = "backend";

/**
 * Finds the user for whom an application's backend vouches, or creates one without a password if the application's
 * settings allow it. Does not check permissions.
 *
 * An application whose sessions create users keeps, for each login or external id that its backend has named, an
 * identity with the user. Only these rows decide from then on: users can change their login and external id, and others
 * can sign up with one that the backend has not named yet. In other applications the name is that of the profile.
 * @param onReach runs `note`, after which the backend is known to reach a user who signed up without it
 * @throws Fault NOT_FOUND for an unknown user; INVALID for a guest, for the name of a user who signed up if the settings
 * do not let it reach them, and on the fields of a new user; LIMITED after too many sign-ups
 */
export async function findVouchedUser(
  deps: SignInDeps,
  application: Application,
  name: VouchedName,
  { fullName, tags }: VouchedProfile,
  onReach: OnReach,
): Promise<User> {
  // Checked for known users too, so that a mistake shows at once.
  const profile = checkUserFields({ fullName, tags });
  const { kind, value } = name;
  const known = await findKnown(deps, application, name, onReach);
  if (known !== null) return known;
  if (kind === "userId" || !application.serverSessionsCreateUsers) throw noUser();
  const { columns } = checkUserFields({ [kind]: value, fullName });
  await deps.limits.countForApplication("sign-up", application.id);
  const now = new Date(deps.clock.now());
  try {
    await deps.store.transaction(async (transaction) => {
      const db = await transaction.prisma();
      const userId = await insertUserWithTags(
        { db },
        application.id,
        columns,
        null,
        profile.tags ?? [],
      );
      await insertIdentity(transaction, identityOf(application.id, name), userId, now);
    });
    deps.counters.count(application.id, "signUps");
  } catch (error) {
    // A concurrent first session has created the user, or somebody has just signed up with the name.
    if (uniqueViolation(error) === null) throw error;
  }
  const created = await findKnown(deps, application, name, onReach);
  if (created === null) throw new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
  return created;
}

/** The identity of a name; logins are equal without regard to case. */
function identityOf(applicationId: number, { kind, value }: VouchedName): Identity {
  const subject = kind === "login" ? value.toLowerCase() : value;
  return { applicationId, provider: BACKEND, subject: `${kind}:${subject}` };
}

/** Finds the user whom a name has, or has had when the backend used it first; null if there is none. @throws Fault INVALID */
async function findKnown(
  deps: SignInDeps,
  application: Application,
  name: VouchedName,
  onReach: OnReach,
): Promise<User | null> {
  const byId = name.kind === "userId";
  const identity = identityOf(application.id, name);
  const userId = byId ? null : await findUserOfIdentity(deps.store, identity);
  if (userId !== null) return findUser(deps, application.id, { id: String(userId) });
  const user = await findByProfile(deps, application.id, name);
  if (user === null) return null;
  const binds = !byId && application.serverSessionsCreateUsers;
  const isNoted = await hasIdentity(deps.store, user.id, BACKEND);
  // A user with any identity has been noted, or has another sign-in.
  const signedUp = isNoted || !(await isOnlyBackends(deps, user.id));
  if (binds && signedUp && !application.serverSessionsReachSignedUpUsers) {
    // A concurrent session may have bound the name to the user since it was looked up.
    if ((await findUserOfIdentity(deps.store, identity)) === user.id) return user;
    throw Fault.field(
      name.field,
      "is that of a user whom the backend's sessions have not created: see the setting serverSessionsReachSignedUpUsers",
    );
  }
  const add = (of: Identity) => addIdentity(deps.store, of, user.id, new Date(deps.clock.now()));
  if (signedUp && !isNoted) {
    const id = identityOf(application.id, {
      kind: "userId",
      value: String(user.id),
      field: "userId",
    });
    await onReach(user, () => add(id));
  }
  if (binds) await add(identity);
  return user;
}

/**
 * Whether nobody but the backend can sign the user in, as for one whom a session of an earlier version created without
 * an identity. A user with any identity was created by a provider, or belongs to another name.
 */
async function isOnlyBackends({ store }: SignInDeps, userId: number): Promise<boolean> {
  if (await hasIdentity(store, userId, null)) return false;
  return (await findStoredUser(store, userId))?.passwordHash === null;
}

async function findByProfile(
  deps: SignInDeps,
  applicationId: number,
  { kind, value, field }: VouchedName,
): Promise<User | null> {
  const key =
    kind === "userId" ? { id: value } : kind === "login" ? { login: value } : { externalId: value };
  const user = await findUser(deps, applicationId, key);
  // An external_user_id is a field of its own, which names nobody here.
  if (user === null || (kind === "externalId" && user.externalId !== value)) return null;
  if (user.isGuest) throw Fault.field(field, "is that of a guest, for whom no backend vouches");
  return user;
}
