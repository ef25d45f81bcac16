import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { Fault } from "../../core/errors";
import { Limited } from "../../platform/limits/rate-limits";
import { Allow, KeyScope } from "../access/request-auth";
import { namedApplication } from "../applications/named-application";
import {
  CreateUserInput,
  CreateUserPayload,
  DeleteUserInput,
  DeleteUserPayload,
  UpdateUserInput,
  UpdateUserPayload,
  UserKeyInput,
  UserType,
} from "./user.type";
import type { UserContext } from "./user-deps";
import { findUser, type UserKey } from "./user-queries";
import { createUser, deleteUser, updateUser } from "./users";

@Resolver()
export class UserResolver {
  @Allow("user", "support")
  @KeyScope("users")
  @Query(() => UserType, {
    nullable: true,
    description:
      "One user of the caller's application; for members of an account, of one of its applications. Null if there is none.",
  })
  async user(
    @Ctx() { users, auth }: UserContext,
    @Arg("by", () => UserKeyInput, { description: "The key to look up." }) by: UserKeyInput,
    @Arg("applicationId", () => ID, {
      nullable: true,
      description: "The application. Members of its account must name it.",
    })
    applicationId?: string | null,
  ): Promise<UserType | null> {
    const application = await namedApplication(await auth.userOrMember(), applicationId);
    return findUser(users, application, requireOneKey("by", by));
  }

  @Allow("application", "developer")
  @KeyScope("users")
  @Limited("sign-up")
  @Mutation(() => CreateUserPayload, {
    description:
      "Signs a user up. Requires a login or an e-mail, and a password.\n\nDevelopers and owners of an account create users of its applications, also while these do not accept sign-ups.",
  })
  async createUser(
    @Ctx() { users, auth, caller }: UserContext,
    @Arg("input", () => CreateUserInput, { description: "The new user." }) input: CreateUserInput,
  ): Promise<CreateUserPayload> {
    const viewer = auth.callsForAccount ? await auth.memberViewer() : await auth.sessionViewer();
    return { user: await createUser(users, viewer, input, caller.ip) };
  }

  @Allow("user", "developer")
  @KeyScope("users")
  @Mutation(() => UpdateUserPayload, {
    description:
      "Changes the signed-in user.\n\nFor developers and owners of an account: a user of one of its applications, without the old password. An API key needs the scope SESSIONS too for a new password or e-mail.",
  })
  async updateUser(
    @Ctx() { users, auth, caller }: UserContext,
    @Arg("input", () => UpdateUserInput, { description: "The changes." })
    { id, ...fields }: UpdateUserInput,
  ): Promise<UpdateUserPayload> {
    const viewer = await auth.userOrMember();
    caller.deferClose?.();
    return { user: await updateUser(users, viewer, id, fields, caller.ip) };
  }

  @Allow("user", "developer")
  @KeyScope("users")
  @Mutation(() => DeleteUserPayload, {
    description:
      "Deletes the signed-in user and all its data, and ends its sessions and connections.\n\nFor developers and owners of an account: a user of one of its applications.",
  })
  async deleteUser(
    @Ctx() { users, auth, caller }: UserContext,
    @Arg("input", () => DeleteUserInput, { description: "The user to delete." })
    input: DeleteUserInput,
  ): Promise<DeleteUserPayload> {
    const viewer = await auth.userOrMember();
    caller.deferClose?.();
    const deletedUserId = await deleteUser(users, viewer, requireOneKey("input", input));
    if (viewer.kind !== "member") auth.clearSession();
    return { deletedUserId };
  }
}

/** Checks that exactly one key is given: compiled operations do not enforce @oneOf on variables. */
function requireOneKey(argument: string, keys: UserKeyInput): UserKey {
  const given = Object.values(keys).filter((value) => value !== undefined);
  if (given.length !== 1 || typeof given[0] !== "string") {
    throw new Fault("INVALID", `${argument} takes exactly one of its fields`);
  }
  return keys as UserKey;
}
