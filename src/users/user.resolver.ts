import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../access/request-auth";
import { Fault } from "../core/errors";
import { Limited } from "../limits/rate-limits";
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
  @Allow("user")
  @Query(() => UserType, {
    nullable: true,
    description: "One user of the application, or null if there is none.",
  })
  async user(
    @Ctx() context: UserContext,
    @Arg("by", () => UserKeyInput, { description: "The key to look up." }) by: UserKeyInput,
  ): Promise<UserType | null> {
    const { applicationId } = await context.auth.user();
    return findUser(context.users, applicationId, requireOneKey("by", by));
  }

  @Allow("application")
  @Limited("sign-up")
  @Mutation(() => CreateUserPayload, {
    description: "Signs a user up. Requires a login or an e-mail, and a password.",
  })
  async createUser(
    @Ctx() context: UserContext,
    @Arg("input", () => CreateUserInput, { description: "The new user." }) input: CreateUserInput,
  ): Promise<CreateUserPayload> {
    const { users, auth, caller } = context;
    return { user: await createUser(users, await auth.viewer(), input, caller.ip) };
  }

  @Allow("user")
  @Mutation(() => UpdateUserPayload, { description: "Changes the signed-in user." })
  async updateUser(
    @Ctx() context: UserContext,
    @Arg("input", () => UpdateUserInput, { description: "The changes." }) input: UpdateUserInput,
  ): Promise<UpdateUserPayload> {
    const { id, ...fields } = input;
    const { users, auth, caller } = context;
    const viewer = await auth.user();
    caller.deferClose?.();
    return { user: await updateUser(users, viewer, id, fields, caller.ip) };
  }

  @Allow("user")
  @Mutation(() => DeleteUserPayload, {
    description:
      "Deletes the signed-in user and all its data, and ends its sessions and connections.",
  })
  async deleteUser(
    @Ctx() context: UserContext,
    @Arg("input", () => DeleteUserInput, { description: "The user to delete." })
    input: DeleteUserInput,
  ): Promise<DeleteUserPayload> {
    const viewer = await context.auth.user();
    context.caller.deferClose?.();
    await deleteUser(context.users, viewer, requireOneKey("input", input));
    context.auth.clearSession();
    return { deletedUserId: viewer.userId };
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
