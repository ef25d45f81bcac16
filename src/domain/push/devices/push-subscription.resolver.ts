import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import { Allow, KeyScope } from "../../access/request-auth";
import { ApplicationType } from "../../applications/application.type";
import { PageArgs, toConnection } from "../../paging/page.type";
import { requireUser } from "../../users/users";
import type { PushContext } from "../deps/push-deps";
import {
  CreatePushSubscriptionInput,
  DeletePushSubscriptionInput,
  UserPageArgs,
} from "./push-subscription.input";
import {
  CreatePushSubscriptionPayload,
  DeletePushSubscriptionPayload,
  PushSubscriptionConnection,
  toGraphqlSubscription,
} from "./push-subscription.type";
import {
  createPushSubscription,
  deletePushSubscription,
  listPushSubscriptions,
  type PushSubscriptionPage,
} from "./push-subscriptions";

@Resolver()
export class PushSubscriptionResolver {
  @Allow("user")
  @Query(() => PushSubscriptionConnection, {
    description: "Push subscriptions of the signed-in user, up to 100.",
  })
  async pushSubscriptions(
    @Ctx() { push, auth }: PushContext,
    @Args(() => PageArgs) request: PageArgs,
  ): Promise<PushSubscriptionConnection> {
    return toSubscriptionConnection(await listPushSubscriptions(push, await auth.user(), request));
  }

  @Allow("user")
  @Mutation(() => CreatePushSubscriptionPayload, {
    description: `Subscribes a device of the signed-in user to notifications. A device that is already subscribed (same udid,
channel and environment) gets the new token. A token of another device or user moves to this one. Beyond
100 subscriptions, the least recently registered one is deleted.`,
  })
  async createPushSubscription(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => CreatePushSubscriptionInput, { description: "The device." })
    input: CreatePushSubscriptionInput,
  ): Promise<CreatePushSubscriptionPayload> {
    const created = await createPushSubscription(push, await auth.user(), input);
    const subscription = toGraphqlSubscription(created);
    return { subscription, edges: [{ cursor: String(created.id), node: subscription }] };
  }

  @Allow("user", "developer")
  @KeyScope("push")
  @Mutation(() => DeletePushSubscriptionPayload, {
    description:
      "Deletes a subscription of the signed-in user, so that its device gets no more pushes.\n\nDevelopers and owners of an account delete those of users of its applications.",
  })
  async deletePushSubscription(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => DeletePushSubscriptionInput, { description: "The subscription." })
    { id }: DeletePushSubscriptionInput,
  ): Promise<DeletePushSubscriptionPayload> {
    const { id: deletedPushSubscriptionId, userId } = await deletePushSubscription(
      push,
      await auth.userOrMember(),
      id,
    );
    return { deletedPushSubscriptionId, userId };
  }
}

@Resolver(() => ApplicationType)
export class ApplicationDevicesResolver {
  @FieldResolver(() => PushSubscriptionConnection, {
    description:
      "Push subscriptions of the devices of one of the application's users, up to 100, without their tokens.",
  })
  async pushSubscriptions(
    @Root() { id: applicationId }: ApplicationType,
    @Ctx() { push }: PushContext,
    @Args(() => UserPageArgs) { userId, ...request }: UserPageArgs,
  ): Promise<PushSubscriptionConnection> {
    const user = await requireUser(push, applicationId, userId);
    return toSubscriptionConnection(
      await listPushSubscriptions(push, { userId: user.id }, request),
    );
  }
}

function toSubscriptionConnection(page: PushSubscriptionPage): PushSubscriptionConnection {
  const nodes = page.nodes.map(toGraphqlSubscription);
  return { ...toConnection({ ...page, nodes }), totalCount: page.totalCount };
}
