import {
  CreateUserDocument,
  type CreateUserMutationVariables,
  DeleteUserDocument,
  GetUserDocument,
  type GetUserQueryVariables,
  ListUsersDocument,
  type ListUsersQuery,
  type ListUsersQueryVariables,
  UpdateUserDocument,
  type UpdateUserMutationVariables,
  type UserFieldsFragment,
} from "../generated/operations.ts";
import type { Session } from "../session/session.ts";

/** A user of the application. */
export type User = UserFieldsFragment;

/** A page of users. The next one begins after `pageInfo.endCursor`. */
export type UserPage = ListUsersQuery["users"];

/**
 * Signs a user up. The session stays what it is; `session.logIn()` signs the new user in.
 *
 * @example
 * ```ts
 * import { createUser, openConnection, signedSession } from "@signalbox/client";
 *
 * const keys = { applicationId: 1, authKey: "your auth_key", authSecret: "your auth_secret" };
 * const { session, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: signedSession(keys),
 * });
 * const { id } = await createUser(session, { login: "cem", password: "correct horse" });
 * await session.logIn({ login: "cem", password: "correct horse" });
 * console.log(id);
 * close();
 * ```
 * @throws SignalboxError INVALID for a taken login or e-mail, FORBIDDEN if the application accepts no sign-ups
 */
export async function createUser(
  session: Session,
  input: CreateUserMutationVariables["input"],
): Promise<User> {
  return (await session.execute(CreateUserDocument, { input })).createUser.user;
}

/**
 * Finds a user by one of its keys.
 *
 * @example
 * ```ts
 * import { getUser } from "@signalbox/client";
 *
 * const user = await getUser(signalbox.session, { login: "ben" });
 * console.log(user?.fullName ?? "Nobody");
 * ```
 * @returns null if there is none
 * @throws SignalboxError
 */
export async function getUser(
  session: Session,
  by: GetUserQueryVariables["by"],
): Promise<User | null> {
  return (await session.execute(GetUserDocument, { by })).user;
}

/**
 * Lists users by a filter, 100 to a page.
 *
 * @example
 * ```ts
 * import { listUsers } from "@signalbox/client";
 *
 * const filter = { userTags: { in: ["staff"] } };
 * let after: string | null = null;
 * do {
 *   const { nodes, pageInfo } = await listUsers(signalbox.session, { filter, after });
 *   for (const { login } of nodes) console.log(login);
 *   after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
 * } while (after !== null);
 * ```
 * @throws SignalboxError INVALID for a filter that breaks a rule, FORBIDDEN for a list of all if the application
 *   does not allow it
 */
export async function listUsers(
  session: Session,
  variables: ListUsersQueryVariables = {},
): Promise<UserPage> {
  return (await session.execute(ListUsersDocument, variables)).users;
}

/**
 * Changes the signed-in user.
 *
 * @example
 * ```ts
 * import { updateUser } from "@signalbox/client";
 *
 * const { userId } = await signalbox.session.current();
 * if (userId) await updateUser(signalbox.session, { id: userId, fullName: "Ann Moreau" });
 * ```
 * @throws SignalboxError INVALID, FORBIDDEN for another user
 */
export async function updateUser(
  session: Session,
  input: UpdateUserMutationVariables["input"],
): Promise<User> {
  return (await session.execute(UpdateUserDocument, { input })).updateUser.user;
}

/**
 * Deletes the signed-in user with all data.
 *
 * @example
 * ```ts
 * import { deleteUser, openConnection, signedSession } from "@signalbox/client";
 *
 * const keys = { applicationId: 1, authKey: "your auth_key", authSecret: "your auth_secret" };
 * const { session, close } = openConnection({
 *   url: "http://127.0.0.1:4000",
 *   session: signedSession(keys, { user: { guest: true } }),
 * });
 * const { userId } = await session.current();
 * if (userId) await deleteUser(session, userId);
 * close();
 * ```
 * @throws SignalboxError FORBIDDEN for another user
 */
export async function deleteUser(session: Session, id: string): Promise<void> {
  await session.execute(DeleteUserDocument, { input: { id } });
}
