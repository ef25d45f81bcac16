import { Fault, type FieldErrors } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { MemberViewer, UserOrMember, UserViewer, Viewer } from "../../core/viewer";
import { uniqueViolation } from "../../platform/store/database-errors";
import { scopeRefused } from "../access/refusals";
import { findApplication } from "../applications/applications";
import { namedApplication } from "../applications/named-application";
import { checkPassword } from "../passwords/password";
import { hashUserPassword, passwordAttemptName } from "./credentials";
import {
  checkEmailVariants,
  checkNewEmail,
  emailNeedsPassword,
  notifyOldEmail,
} from "./email-change";
import type { User } from "./user";
import { findStoredUser, insertUserWithTags, replaceTags, writeUser } from "./user-change-queries";
import { removeUsers } from "./user-data";
import type { UserDeps } from "./user-deps";
import { checkUserFields, type UserFields } from "./user-fields";
import { findUser, findUsersById, type UserKey } from "./user-queries";

/**
 * Signs a user up (`CreateUser` in schema/rest/users.graphql), or creates one for a member of an account, also while the
 * application does not accept sign-ups.
 * @throws Fault INVALID with all invalid fields, or with the field whose value is taken; FORBIDDEN if the
 * application does not accept sign-ups; INVALID and NOT_FOUND as {@link namedApplication}
 */
export async function createUser(
  deps: UserDeps,
  viewer: Viewer | MemberViewer,
  { applicationId, ...fields }: UserFields & { applicationId?: string | null; password: string },
  ip: string,
): Promise<User> {
  const application = await namedApplication(viewer, applicationId);
  if (viewer.kind !== "member" && !(await findApplication(deps, application)).signUpOpen) {
    throw new Fault("FORBIDDEN", "This application does not accept sign-ups");
  }
  return insertUser(deps, application, fields, ip);
}

/**
 * Creates a user of an application. Does not check permissions.
 * @throws Fault INVALID as {@link createUser} does
 */
export async function insertUser(
  deps: UserDeps,
  application: number,
  fields: UserFields & { password: string },
  ip: string,
): Promise<User> {
  const { columns, tags } = checkUserFields(fields);
  requireName(columns.login ?? null, columns.email ?? null);
  checkPassword(fields.password);
  await checkEmailVariants(deps, application, fields.email, null);
  const password = await hashUserPassword(deps, fields.password, { ip });
  const id = await rejectTaken(() =>
    insertUserWithTags(deps.store, application, columns, password, tags ?? []),
  );
  deps.counters.count(application, "signUps");
  return readUser(deps, application, id);
}

/**
 * Changes the viewer's own user, or a user of an application of the member's account. For users, a new password requires
 * the old one, if there was one, and ends the user's other sessions and all its connections. A new e-mail requires the
 * password if the application is configured so; the old address is notified. Members need no old password, and a new
 * one ends all sessions of the user. An API key needs the scope of sessions for a new password or e-mail, by which the
 * user signs in.
 * @param ip the client's address; wrong old passwords count as failed sign-ins
 * @throws Fault FORBIDDEN for another user, or for a key without the scope; NOT_FOUND for a user of another account; INVALID as for {@link createUser},
 * and for the password of a guest; LIMITED
 */
export async function updateUser(
  deps: UserDeps,
  viewer: UserOrMember,
  id: string,
  fields: UserChanges,
  ip: string,
): Promise<User> {
  if (viewer.kind === "member") {
    const changesCredentials = fields.email !== undefined || typeof fields.password === "string";
    if (changesCredentials && viewer.key?.scopes.includes("sessions") === false) {
      throw scopeRefused("sessions");
    }
    const { applicationId, id: userId } = await requireUserOf(deps, viewer, id);
    // All users of a backend have its address.
    const countsAddress = viewer.key === null;
    const target = { applicationId, userId, sessionId: null, countsAddress };
    const isChanged = await changeUser(deps, target, fields, ip);
    if (!isChanged) throw noUser();
    return requireUser(deps, applicationId, id);
  }
  await requireSelf(deps, viewer, { id });
  if (!(await changeUser(deps, viewer, fields, ip))) throw Fault.noSession();
  return readUser(deps, viewer.applicationId, viewer.userId);
}

/** Changes of a user. */
export type UserChanges = UserFields & { password?: string | null; oldPassword?: string | null };

/** The user to change, and the session that does; null for a member of the account. */
export interface ChangedUser {
  applicationId: number;
  userId: number;
  sessionId: number | null;
  /** Whether the change counts for the client's address, as for everybody but API keys. True if absent. */
  countsAddress?: boolean;
}

/**
 * Changes a user as {@link updateUser} does. Does not check permissions.
 * @returns false if the user does not exist any more
 * @throws Fault INVALID, LIMITED
 */
export async function changeUser(
  deps: UserDeps,
  target: ChangedUser,
  fields: UserChanges,
  ip: string,
): Promise<boolean> {
  const { applicationId, userId, sessionId, countsAddress = true } = target;
  const countedIp = countsAddress ? ip : null;
  const current = await findStoredUser(deps.store, userId);
  if (current === null) return false;
  const { columns, tags } = checkUserFields(fields);
  // Users who signed up through a provider may have neither.
  if (current.login !== null || current.email !== null) {
    requireName(
      columns.login === undefined ? current.login : columns.login,
      columns.email === undefined ? current.email : columns.email,
    );
  }
  if (current.isGuest && typeof fields.password === "string") {
    throw Fault.field("password", "cannot be set: a guest has none");
  }
  const emailChanges = columns.email !== undefined && fields.email !== current.email;
  if (emailChanges) await checkNewEmail(deps, target, fields.email, current.email, countedIp);
  const newPassword = fields.password ?? null;
  if (newPassword !== null) checkPassword(newPassword);
  /** The change that requires the old password; null if none does. */
  const protectedChange =
    newPassword !== null
      ? "a new password"
      : emailChanges && (await emailNeedsPassword(deps, applicationId))
        ? "a new e-mail address"
        : null;
  const requester = { ip, name: `${applicationId} ${passwordAttemptName(userId)}` };
  if (protectedChange !== null) {
    await deps.limits.countPasswordChange({ kind: "user", id: userId, applicationId }, countedIp);
    if (sessionId !== null) {
      const { oldPassword } = fields;
      const check = { hash: current.passwordHash, oldPassword, protectedChange };
      await checkOldPassword(deps, target, check, requester);
    }
  }
  const password =
    newPassword === null ? null : await hashUserPassword(deps, newPassword, requester);
  // The password may have been changed since it was verified.
  const verifiedHash =
    protectedChange === null || sessionId === null ? undefined : current.passwordHash;
  const updatedAt = new Date(deps.clock.now());
  const isChanged = await rejectTaken(() =>
    deps.store.transaction(async (transaction) => {
      // Locks the row first, so that concurrent changes of the tags are applied one after the other.
      const changed = await writeUser(
        transaction,
        userId,
        { ...columns, updatedAt },
        password,
        verifiedHash,
      );
      if (!changed) return false;
      if (tags !== undefined) await replaceTags(transaction, { applicationId, userId }, tags);
      if (password !== null || columns.email !== undefined) {
        const change = { userId, sessionId, password: password !== null };
        await deps.credentialsChanged(transaction, change);
      }
      return true;
    }),
  );
  if (!isChanged && verifiedHash !== undefined) throw Fault.field("oldPassword", "is wrong");
  if (!isChanged) return false;
  deps.sessionEvents.publish({ kind: password === null ? "user changed" : "user", userId });
  if (emailChanges) await notifyOldEmail(deps, { applicationId, userId }, current.email);
  return true;
}

/**
 * Deletes the viewer's own user, or a user of an application of the member's account, and all its data: sessions, tags,
 * subscriptions, events, participation in calls.
 * @returns the id of the user
 * @throws Fault FORBIDDEN for another user; NOT_FOUND if no user matches; INVALID for a member who names no id
 */
export async function deleteUser(
  deps: UserDeps,
  viewer: UserOrMember,
  key: UserKey,
): Promise<number> {
  if (viewer.kind === "member") {
    if (!("id" in key)) throw Fault.field("id", "is required");
    const { id } = await requireUserOf(deps, viewer, key.id);
    await removeUsers(deps, [id]);
    return id;
  }
  await requireSelf(deps, viewer, key);
  await removeUsers(deps, [viewer.userId]);
  return viewer.userId;
}

/** Finds a user of an application of the member's account. @throws Fault NOT_FOUND */
async function requireUserOf(
  deps: Pick<UserDeps, "store">,
  viewer: MemberViewer,
  id: string,
): Promise<User> {
  const userId = parseId(id);
  const user = userId === null ? undefined : (await findUsersById(deps, [userId])).get(userId);
  if (!user || !(await viewer.owns(user.applicationId))) throw noUser();
  return user;
}

/**
 * Finds a user of an application. Does not check permissions.
 * @throws Fault NOT_FOUND
 */
export async function requireUser(
  deps: Pick<UserDeps, "store">,
  applicationId: number,
  id: string,
): Promise<User> {
  const user = await findUser(deps, applicationId, { id });
  if (user === null) throw noUser();
  return user;
}

/** NOT_FOUND, for a missing user as well as for one of another application. */
export function noUser(): Fault {
  return new Fault("NOT_FOUND", "There is no such user");
}

async function requireSelf(deps: UserDeps, viewer: UserViewer, key: UserKey): Promise<void> {
  if ("id" in key && parseId(key.id) === viewer.userId) return;
  const user = await findUser(deps, viewer.applicationId, key);
  if (user === null) throw noUser();
  if (user.id === viewer.userId) return;
  throw new Fault("FORBIDDEN", "Users can change and delete only their own account");
}

function requireName(login: unknown, email: unknown): void {
  if (login === null && email === null) {
    throw Fault.base("login or email is required");
  }
}

/**
 * Verifies the old password; passes if the user has none yet.
 * @throws Fault INVALID on oldPassword; LIMITED
 */
async function checkOldPassword(
  { limits, passwordHasher }: UserDeps,
  { applicationId, userId }: ChangedUser,
  check: { hash: string | null; oldPassword?: string | null; protectedChange: string },
  requester: { ip: string; name: string },
): Promise<void> {
  const { hash, oldPassword, protectedChange } = check;
  if (hash === null) return;
  if (!oldPassword) throw Fault.field("oldPassword", `is required for ${protectedChange}`);
  const matches = await limits.attemptPassword(
    { applicationId, name: passwordAttemptName(userId), ip: requester.ip },
    async () => (await passwordHasher.verify(hash, oldPassword, requester)) || null,
  );
  if (!matches) throw Fault.field("oldPassword", "is wrong");
}

/** The input field of each model field or column of a unique constraint. */
const INPUT_FIELD: Record<string, string> = {
  loginKey: "login",
  login_key: "login",
  emailKey: "email",
  email_key: "email",
  externalId: "externalId",
  external_id: "externalId",
  externalUserId: "externalUserId",
  external_user_id: "externalUserId",
};

/** Maps a unique violation to a Fault. @throws Fault INVALID on the field whose value is taken */
async function rejectTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const fields: FieldErrors = {};
    for (const name of uniqueViolation(error) ?? []) {
      const field = INPUT_FIELD[name];
      if (field !== undefined) fields[field] = ["has already been taken"];
    }
    const [field] = Object.keys(fields);
    if (field === undefined) throw error;
    throw new Fault("INVALID", `${field} has already been taken`, fields);
  }
}

/** Reads a user. @throws Fault UNAUTHENTICATED if it was deleted in the meantime */
async function readUser(deps: UserDeps, applicationId: number, id: number): Promise<User> {
  const user = await findUser(deps, applicationId, { id: String(id) });
  if (user === null) throw Fault.noSession();
  return user;
}
