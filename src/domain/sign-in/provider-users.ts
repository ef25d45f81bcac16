import { Fault } from "../../core/errors";
import { toValidText, truncateText } from "../../core/text/text";
import { uniqueViolation } from "../../platform/store/database-errors";
import type { Application } from "../applications/applications";
import type { User } from "../users/user";
import { insertUserRow } from "../users/user-change-queries";
import type { UserData } from "../users/user-deps";
import { checkUserFields, type UserFields } from "../users/user-fields";
import { findUser, isEmailVariantTaken } from "../users/user-queries";
import {
  EXPORTED_IDENTITIES,
  findUserOfIdentity,
  type Identity,
  insertIdentity,
} from "./identity-queries";
import type { SignInDeps } from "./sign-in-deps";
import type { VerifiedIdentity } from "./verified-identity";

/** The export of this module; deleting a user's row cascades to the identities. */
export const identityUserData: UserData = {
  exports: [EXPORTED_IDENTITIES],
};

/** Maximum stored length of a name, in characters. */
const NAME_MAX = 255;

/**
 * Finds the user of a verified subject, or creates the user with its deps row. Only that row links a
 * subject to a user. Clients can write profile fields and e-mails, so a user with the same values is never
 * matched.
 * @throws Fault FORBIDDEN for a new user while the application does not accept sign-ups
 */
export async function findOrCreateUser(
  deps: SignInDeps,
  application: Application,
  provider: string,
  verified: VerifiedIdentity,
): Promise<User> {
  const identity = { applicationId: application.id, provider, subject: verified.subject };
  const find = async () => {
    const userId = await findUserOfIdentity(deps.store, identity);
    return userId === null ? null : findUser(deps, application.id, { id: String(userId) });
  };
  const known = await find();
  if (known) return known;
  if (!application.signUpOpen) {
    throw new Fault("FORBIDDEN", "This application does not accept sign-ups");
  }
  const fields = profileOf(provider, verified);
  // The insert fails if a concurrent first sign-in created the user, or if another user has the e-mail. The
  // second attempt omits the e-mail.
  const verifiedEmail = emailOf(verified);
  const isTaken =
    verifiedEmail !== undefined &&
    (await isEmailVariantTaken(deps.store, application.id, verifiedEmail, null));
  for (const email of [isTaken ? undefined : verifiedEmail, undefined]) {
    await create(deps, identity, { ...fields, email });
    const created = await find();
    if (created) return created;
  }
  // The user was created and deleted concurrently.
  throw new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
}

/** Inserts the user and its deps row together; inserts neither on a unique violation. */
async function create(
  { store, clock, counters }: SignInDeps,
  identity: Identity,
  fields: UserFields,
): Promise<void> {
  const { columns } = checkUserFields(fields);
  const now = new Date(clock.now());
  try {
    await store.transaction(async (transaction) => {
      const { applicationId } = identity;
      const user = { applicationId, columns, createdAt: now };
      const userId = await insertUserRow(transaction, user);
      await insertIdentity(transaction, identity, userId, now);
    });
    counters.count(identity.applicationId, "signUps");
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
}

function profileOf(provider: string, { subject, fullName, phone }: VerifiedIdentity): UserFields {
  const name = toValidText((fullName ?? "").replace(/\p{Cc}/gu, "")).trim();
  return {
    fullName: truncateText(name, NAME_MAX) || null,
    ...(provider === "facebook" ? { facebookId: subject } : {}),
    ...(provider === "twitter" ? { twitterId: subject } : {}),
    ...(phone === null ? {} : { phone }),
  };
}

/** The e-mail if it is valid for a user. An invalid one must not prevent the sign-in. */
function emailOf({ email }: VerifiedIdentity): string | undefined {
  if (email === null) return undefined;
  try {
    checkUserFields({ email });
    return email;
  } catch {
    return undefined;
  }
}
