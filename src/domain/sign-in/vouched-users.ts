import { Fault } from "../../core/errors";
import { uniqueViolation } from "../../platform/store/database-errors";
import type { Application } from "../applications/applications";
import type { User } from "../users/user";
import { insertUserWithTags } from "../users/user-change-queries";
import { checkUserFields } from "../users/user-fields";
import { findUser } from "../users/user-queries";
import { noUser } from "../users/users";
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

/**
 * Finds the user for whom an application's backend vouches, or creates one without a password if the application's
 * settings allow it. Does not check permissions.
 * @throws Fault NOT_FOUND for an unknown user; INVALID for a guest, and on the fields of a new user; LIMITED after too many
 * sign-ups
 */
export async function findVouchedUser(
  deps: SignInDeps,
  application: Application,
  name: VouchedName,
  { fullName, tags }: VouchedProfile,
): Promise<User> {
  // Checked for known users too, so that a mistake shows at once.
  const profile = checkUserFields({ fullName, tags });
  const { kind, value } = name;
  const find = () => findByName(deps, application.id, name);
  const known = await find();
  if (known !== null) return known;
  if (kind === "userId" || !application.serverSessionsCreateUsers) throw noUser();
  const { columns } = checkUserFields({ [kind]: value, fullName });
  await deps.limits.countForApplication("sign-up", application.id);
  try {
    await insertUserWithTags(deps.store, application.id, columns, null, profile.tags ?? []);
    deps.counters.count(application.id, "signUps");
  } catch (error) {
    // A concurrent first session has created the user.
    if (uniqueViolation(error) === null) throw error;
  }
  const created = await find();
  if (created === null) throw new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
  return created;
}

async function findByName(
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
