import { Fault } from "../../core/errors";
import { cutText, toText } from "../../core/text";
import { uniqueViolation } from "../../store/conflicts";
import type { Application } from "../application/applications";
import type { Identity } from "../identity";
import { isSpelledOtherwise } from "../user/email";
import { toUser, USER_COLUMNS, type User, type UserRow } from "../user/user";
import { checkUserFields, type UserFields } from "../user/user-fields";
import type { Verified } from "./verified";

const FIND = {
  name: "user_by_identity",
  text: `SELECT ${USER_COLUMNS} FROM identities i JOIN users u ON u.id = i.user_id
    WHERE i.application_id = $1 AND i.provider = $2 AND i.subject = $3`,
};

/** Characters of a name that a user keeps. */
const NAME_MAX = 255;

/**
 * The user of a verified subject; made, with its identity, when there is none yet. Only the identity
 * decides who it is: profile fields and e-mails are written by clients and grant nothing, so a user
 * who has the same ones stays somebody else.
 * @throws Fault FORBIDDEN for somebody new while the application admits nobody
 */
export async function userOf(
  identity: Identity,
  application: Application,
  provider: string,
  verified: Verified,
): Promise<User> {
  const find = async () => {
    const values = [application.id, provider, verified.subject];
    const [row] = await identity.store.query<UserRow>(FIND, values);
    return row ? toUser(row) : null;
  };
  const known = await find();
  if (known) return known;
  if (!application.signUpOpen) {
    throw new Fault("FORBIDDEN", "This application does not accept sign-ups");
  }
  const fields = profileOf(provider, verified);
  // A second first sign-in may come before this one, or the e-mail may be somebody's.
  const given = emailOf(verified);
  const isTaken =
    given !== undefined && (await isSpelledOtherwise(identity.store, application.id, given, null));
  for (const email of [isTaken ? undefined : given, undefined]) {
    await create(identity, application.id, provider, verified.subject, { ...fields, email });
    const made = await find();
    if (made) return made;
  }
  // Made and deleted meanwhile.
  throw new Fault("UNAVAILABLE", "The user is being changed", undefined, 1);
}

/** Makes user and identity together, or neither where something is taken. */
async function create(
  { store, clock }: Identity,
  applicationId: number,
  provider: string,
  subject: string,
  fields: UserFields,
): Promise<void> {
  const { columns } = checkUserFields(fields);
  const now = new Date(clock.now());
  const application = BigInt(applicationId);
  try {
    await store.db.user.create({
      data: {
        ...columns,
        applicationId: application,
        createdAt: now,
        updatedAt: now,
        identities: { create: { applicationId: application, provider, subject, createdAt: now } },
      },
      select: { id: true },
    });
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
}

function profileOf(provider: string, { subject, fullName, phone }: Verified): UserFields {
  const name = toText((fullName ?? "").replace(/\p{Cc}/gu, "")).trim();
  return {
    fullName: cutText(name, NAME_MAX) || null,
    ...(provider === "facebook" ? { facebookId: subject } : {}),
    ...(provider === "twitter" ? { twitterId: subject } : {}),
    ...(phone === null ? {} : { phone }),
  };
}

/** The e-mail, where it is one that a user can have: a provider's oddity stops no sign-in. */
function emailOf({ email }: Verified): string | undefined {
  if (email === null) return undefined;
  try {
    checkUserFields({ email });
    return email;
  } catch {
    return undefined;
  }
}
