import { Arg, Args, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../../access/request-auth";
import { PageArgs, toConnection } from "../../paging/page.type";
import type { PushContext } from "../deps/push-deps";
import {
  CreatePushSubscriptionInput,
  DeletePushSubscriptionInput,
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
    const page = await listPushSubscriptions(push, await auth.user(), request);
    const nodes = page.nodes.map(toGraphqlSubscription);
    return { ...toConnection({ ...page, nodes }), totalCount: page.totalCount };
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

  @Allow("user")
  @Mutation(() => DeletePushSubscriptionPayload, {
    description: "Deletes a subscription of the signed-in user.",
  })
  async deletePushSubscription(
    @Ctx() { push, auth }: PushContext,
    @Arg("input", () => DeletePushSubscriptionInput, { description: "The subscription." })
    { id }: DeletePushSubscriptionInput,
  ): Promise<DeletePushSubscriptionPayload> {
    const viewer = await auth.user();
    return { deletedPushSubscriptionId: await deletePushSubscription(push, viewer, id) };
  }
}
