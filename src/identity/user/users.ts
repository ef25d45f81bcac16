import { Fault, type FieldErrors } from "../../core/errors";
import type { UserViewer, Viewer } from "../../core/viewer";
import { uniqueViolation } from "../../store/conflicts";
import { findApplication } from "../application/applications";
import type { Identity } from "../identity";
import { checkPassword } from "../password";
import { userName } from "../session/credentials";
import { checkNewEmail, emailNeedsPassword, refuseSpelling, tellOldEmail } from "./email-change";
import { findUser, parseId, type UserKey } from "./find-user";
import { removeUsers } from "./remove-users";
import type { User } from "./user";
import { checkUserFields, type UserFields } from "./user-fields";

/**
 * Signs a user up (interface.md "POST /users").
 * @throws Fault INVALID with every field that is wrong, or with the field that is taken; FORBIDDEN
 * while the application admits nobody
 */
export async function createUser(
  identity: Identity,
  viewer: Viewer,
  fields: UserFields & { password: string },
  ip: string,
): Promise<User> {
  const application = await findApplication(identity, viewer.applicationId);
  if (!application.signUpOpen) {
    throw new Fault("FORBIDDEN", "This application does not accept sign-ups");
  }
  const { columns, tags } = checkUserFields(fields);
  requireName(columns.login ?? null, columns.email ?? null);
  checkPassword(fields.password);
  await refuseSpelling(identity, viewer.applicationId, fields.email, null);
  const applicationId = BigInt(viewer.applicationId);
  const passwordHash = await identity.passwords.hash(fields.password, { ip });
  const { id } = await refuseTaken(() =>
    identity.store.db.user.create({
      data: {
        ...columns,
        applicationId,
        passwordHash,
        tags: { create: tagRows(tags, applicationId) },
      },
      select: { id: true },
    }),
  );
  return found(identity, viewer.applicationId, id);
}

/**
 * Changes the viewer's own user. A new password wants the old one, unless there was none yet, and
 * ends the user's other sessions and all its connections. A new e-mail wants it where the application
 * says so, and the old address is told of the change.
 * @param ip where the request comes from: wrong old passwords count as failed sign-ins do
 * @throws Fault FORBIDDEN for somebody else, INVALID as for {@link createUser} and for a guest's
 * password, LIMITED
 */
export async function updateUser(
  identity: Identity,
  viewer: UserViewer,
  id: string,
  fields: UserFields & { password?: string | null; oldPassword?: string | null },
  ip: string,
): Promise<User> {
  await requireSelf(identity, viewer, { id });
  const { db } = identity.store;
  const current = await db.user.findUnique({ where: { id: BigInt(viewer.userId) } });
  if (current === null) throw Fault.noSession();
  const { columns, tags } = checkUserFields(fields);
  // Who came through a provider may have had neither from the start.
  if (current.login !== null || current.email !== null) {
    requireName(
      columns.login === undefined ? current.login : columns.login,
      columns.email === undefined ? current.email : columns.email,
    );
  }
  if (current.isGuest && typeof fields.password === "string") {
    throw Fault.field("password", "cannot be set: a guest has none");
  }
  const newEmail = columns.email !== undefined && fields.email !== current.email;
  if (newEmail) await checkNewEmail(identity, viewer, fields.email, current.email, ip);
  const newPassword = fields.password ?? null;
  if (newPassword !== null) checkPassword(newPassword);
  /** What the old password is asked for. */
  const asking =
    newPassword !== null
      ? "a new password"
      : newEmail && (await emailNeedsPassword(identity, viewer.applicationId))
        ? "a new e-mail address"
        : null;
  const who = { ip, name: `${viewer.applicationId} ${userName(viewer.userId)}` };
  if (asking !== null) {
    const given = { stored: current.passwordHash, oldPassword: fields.oldPassword, asking };
    await checkOldPassword(identity, viewer, given, who);
  }
  const password = newPassword === null ? null : await identity.passwords.hash(newPassword, who);
  const applicationId = BigInt(viewer.applicationId);
  await refuseTaken(() =>
    db.$transaction(async (tx) => {
      // The row's lock comes first: of two changes at once the later replaces the earlier's tags.
      const { count } = await tx.user.updateMany({
        where: {
          id: current.id,
          // The old password may have been changed while it was checked.
          ...(asking === null ? {} : { passwordHash: current.passwordHash }),
        },
        data: {
          ...columns,
          ...(password === null ? {} : { passwordHash: password }),
          updatedAt: new Date(identity.clock.now()),
        },
      });
      if (count === 0) {
        throw asking === null ? Fault.noSession() : Fault.field("oldPassword", "is wrong");
      }
      // A link that was mailed before says nothing about who reads the mail now.
      if (password !== null || columns.email !== undefined) {
        await tx.passwordReset.deleteMany({ where: { userId: current.id } });
      }
      if (tags !== undefined) {
        await tx.userTag.deleteMany({ where: { userId: current.id } });
        const rows = tagRows(tags, applicationId);
        await tx.userTag.createMany({ data: rows.map((row) => ({ ...row, userId: current.id })) });
      }
      if (password !== null) {
        await tx.session.deleteMany({
          where: { userId: current.id, NOT: { id: BigInt(viewer.sessionId) } },
        });
      }
    }),
  );
  identity.endings.announce({
    kind: password === null ? "user changed" : "user",
    userId: viewer.userId,
  });
  if (newEmail) await tellOldEmail(identity, viewer.applicationId, current.email);
  return found(identity, viewer.applicationId, current.id);
}

/**
 * Deletes the viewer's own user with everything that names it: sessions, tags, subscriptions, events,
 * its part in calls.
 * @throws Fault FORBIDDEN for somebody else, NOT_FOUND for nobody
 */
export async function deleteUser(
  identity: Identity,
  viewer: UserViewer,
  key: UserKey,
): Promise<void> {
  await requireSelf(identity, viewer, key);
  await removeUsers(identity, [viewer.userId]);
}

/**
 * Erases a user of an application with everything that names it, whoever asked for it, and ends its
 * connections.
 * @returns whether there was such a user
 */
export async function eraseUser(
  identity: Identity,
  applicationId: number,
  userId: number,
): Promise<boolean> {
  if ((await findUser(identity, applicationId, { id: String(userId) })) === null) return false;
  await removeUsers(identity, [userId]);
  return true;
}

async function requireSelf(identity: Identity, viewer: UserViewer, key: UserKey): Promise<void> {
  if ("id" in key && parseId(key.id) === viewer.userId) return;
  const user = await findUser(identity, viewer.applicationId, key);
  if (user === null) throw new Fault("NOT_FOUND", "There is no such user");
  if (user.id === viewer.userId) return;
  throw new Fault("FORBIDDEN", "Users can change and delete only their own account");
}

function requireName(login: unknown, email: unknown): void {
  if (login === null && email === null) {
    throw new Fault("INVALID", "login or email is required", {
      base: ["login or email is required"],
    });
  }
}

/**
 * Asks for the password so far; a user who has none yet shows none.
 * @throws Fault INVALID on oldPassword, LIMITED
 */
async function checkOldPassword(
  { limits, passwords }: Identity,
  { applicationId, userId }: UserViewer,
  given: { stored: string | null; oldPassword?: string | null; asking: string },
  who: { ip: string; name: string },
): Promise<void> {
  const { stored, oldPassword, asking } = given;
  await limits.password({ kind: "user", id: userId, applicationId }, who.ip);
  if (stored === null) return;
  if (!oldPassword) throw Fault.field("oldPassword", `is required for ${asking}`);
  const right = await limits.guess(
    { applicationId, name: userName(userId), ip: who.ip },
    async () => (await passwords.matches(stored, oldPassword, who)) || null,
  );
  if (!right) throw Fault.field("oldPassword", "is wrong");
}

function tagRows(tags: string[] | undefined, applicationId: bigint) {
  return (tags ?? []).map((tag, position) => ({ tag, position, applicationId }));
}

/** Model fields of a unique constraint, by the input field to blame. */
const BLAME: Record<string, string> = {
  loginKey: "login",
  login_key: "login",
  emailKey: "email",
  email_key: "email",
  externalId: "externalId",
  external_id: "externalId",
  externalUserId: "externalUserId",
  external_user_id: "externalUserId",
};

async function refuseTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const fields: FieldErrors = {};
    for (const name of uniqueViolation(error) ?? []) {
      const field = BLAME[name];
      if (field !== undefined) fields[field] = ["has already been taken"];
    }
    const [field] = Object.keys(fields);
    if (field === undefined) throw error;
    throw new Fault("INVALID", `${field} has already been taken`, fields);
  }
}

async function found(identity: Identity, applicationId: number, id: bigint): Promise<User> {
  const user = await findUser(identity, applicationId, { id: String(id) });
  if (user === null) throw Fault.noSession();
  return user;
}
