import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { Allow } from "../../identity/context";
import type { PushContext } from "../context";
import {
  CreatePushSubscriptionInput,
  DeletePushSubscriptionInput,
} from "./push-subscription.input";
import {
  CreatePushSubscriptionPayload,
  DeletePushSubscriptionPayload,
  PushSubscriptionConnection,
  showPushSubscription,
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
    description: "Push subscriptions of the calling user, up to 100.",
  })
  async pushSubscriptions(
    @Ctx() { identity, visit }: PushContext,
  ): Promise<PushSubscriptionConnection> {
    const list = await listPushSubscriptions(identity, await visit.user());
    const nodes = list.map(showPushSubscription);
    return { nodes, edges: nodes.map((node) => ({ node })), totalCount: nodes.length };
  }

  @Allow("user")
  @Mutation(() => CreatePushSubscriptionPayload, {
    description: `Subscribes a device of the calling user to notifications. A device that is already subscribed (same udid,
channel and environment) gets the new token. A token of another device or user moves to this one. Beyond
100 subscriptions, the least recently registered one is deleted.`,
  })
  async createPushSubscription(
    @Ctx() { identity, visit }: PushContext,
    @Arg("input", () => CreatePushSubscriptionInput, { description: "The device." })
    input: CreatePushSubscriptionInput,
  ): Promise<CreatePushSubscriptionPayload> {
    const created = await createPushSubscription(identity, await visit.user(), input);
    const subscription = showPushSubscription(created);
    return { subscription, edges: [{ node: subscription }] };
  }

  @Allow("user")
  @Mutation(() => DeletePushSubscriptionPayload, {
    description: "Deletes a subscription of the calling user.",
  })
  async deletePushSubscription(
    @Ctx() { identity, visit }: PushContext,
    @Arg("input", () => DeletePushSubscriptionInput, { description: "The subscription." })
    { id }: DeletePushSubscriptionInput,
  ): Promise<DeletePushSubscriptionPayload> {
    const viewer = await visit.user();
    return { deletedPushSubscriptionId: await deletePushSubscription(identity, viewer, id) };
  }
}
