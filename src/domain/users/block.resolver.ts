import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from "type-graphql";
import { Allow, KeyScope } from "../access/request-auth";
import { ApplicationUserInput } from "../applications/application.input";
import { namedApplication } from "../applications/named-application";
import { blockUser, unblockUser } from "./blocks";
import { UserType } from "./user.type";
import type { UserContext } from "./user-deps";

@InputType({ description: "A user of one of the account's applications to block." })
export class BlockUserInput extends ApplicationUserInput {
  @Field(() => String, {
    nullable: true,
    description: "Why, up to 255 characters; a note for members, which no user sees.",
  })
  reason?: string | null;
}

@ObjectType({ description: "Result of blockUser and unblockUser.", simpleResolvers: true })
export class BlockUserPayload {
  @Field(() => UserType, { description: "The user after the change." })
  user!: UserType;
}

@Resolver()
export class BlockResolver {
  @Allow("developer")
  @KeyScope("users")
  @Mutation(() => BlockUserPayload, {
    description:
      "Blocks a user: ends its sessions and connections, refuses its sign-ins and password resets, stops the pushes that it sent or scheduled, and sends no pushes to its devices. Blocking a blocked user changes the reason.",
  })
  async blockUser(
    @Ctx() { users, auth }: UserContext,
    @Arg("input", () => BlockUserInput, { description: "The user and the reason." })
    { applicationId, userId, reason }: BlockUserInput,
  ): Promise<BlockUserPayload> {
    const id = await namedApplication(await auth.memberViewer(), applicationId);
    return { user: await blockUser(users, id, userId, reason ?? null) };
  }

  @Allow("developer")
  @KeyScope("users")
  @Mutation(() => BlockUserPayload, {
    description: "Lets a blocked user sign in again. Its earlier sessions stay ended.",
  })
  async unblockUser(
    @Ctx() { users, auth }: UserContext,
    @Arg("input", () => ApplicationUserInput, { description: "The user." })
    { applicationId, userId }: ApplicationUserInput,
  ): Promise<BlockUserPayload> {
    const id = await namedApplication(await auth.memberViewer(), applicationId);
    return { user: await unblockUser(users, id, userId) };
  }
}
