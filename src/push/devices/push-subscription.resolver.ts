import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../../access/request-auth";
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
  async pushSubscriptions(@Ctx() { push, auth }: PushContext): Promise<PushSubscriptionConnection> {
    const list = await listPushSubscriptions(push, await auth.user());
    const nodes = list.map(toGraphqlSubscription);
    return { nodes, edges: nodes.map((node) => ({ node })), totalCount: nodes.length };
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
    return { subscription, edges: [{ node: subscription }] };
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
