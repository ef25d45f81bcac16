import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import { Legacy } from "../../access/legacy";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import { connectionOf, type Edge, edgeOf } from "../../paging/page.type";
import {
  CHANNELS,
  listInProse,
  type PushChannel,
  type PushEnvironment,
  type PushPlatform,
} from "../channels/channel";
import { PushChannelName, PushPlatformName } from "../channels/channel.type";
import type { PushSubscription } from "./device-queries";

/** Options of a field with the name of a channel in lower case. */
export const CHANNEL_NAME = {
  description: `The channel: ${listInProse([...CHANNELS].sort(), "or")}.`,
} as const;

@ObjectType({ description: "A name in lower case.", simpleResolvers: true })
export class PushName {
  @Field({ description: "The name." })
  name!: string;
}

@ObjectType({ description: "A device that receives notifications.", simpleResolvers: true })
export class PushDevice {
  @Field({ description: "Identifies the device among the user's devices." })
  udid!: string;

  @Field(() => PushName, { description: "Platform: ios, android or web." })
  platform!: PushName;
}

@ObjectType("PushSubscription", {
  description: "Subscription of a device to notifications on one channel.",
  simpleResolvers: true,
})
export class PushSubscriptionType {
  @Field(() => ID, { description: "Identifier, unique among subscriptions." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "Identifier as a number, as in REST paths.",
  })
  databaseId!: number;

  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => PushEnvironmentName as object, {
    description: "Builds of the app: for developers or for users.",
  })
  environment!: PushEnvironment;

  @Field(() => PushPlatformName as object, { description: "Platform of the device." })
  platform!: PushPlatform;

  @Field({ description: "Identifies the device among the user's devices." })
  udid!: string;

  @Field(() => String, {
    nullable: true,
    description: "Bundle identifier or package of the app, if the device reported it.",
  })
  bundleId!: string | null;

  @Field(() => Date, { description: "When the device first registered." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the device last registered." })
  updatedAt!: Date;

  @Legacy()
  @Field(() => PushName, CHANNEL_NAME)
  notificationChannel!: PushName;

  @Legacy()
  @Field(() => PushDevice, { description: "The device." })
  device!: PushDevice;
}

export const PushSubscriptionEdge = edgeOf<PushSubscriptionType>(
  "PushSubscriptionEdge",
  "subscription",
  () => PushSubscriptionType,
);

@ObjectType({
  description: "A page of a user's subscriptions, oldest first.",
  simpleResolvers: true,
})
export class PushSubscriptionConnection extends connectionOf<PushSubscriptionType>(
  PushSubscriptionEdge,
  "subscriptions",
  () => PushSubscriptionType,
) {
  @Field(() => Int, { description: "Number of all subscriptions of the user." })
  totalCount!: number;
}

@ObjectType({ description: "Result of createPushSubscription.", simpleResolvers: true })
export class CreatePushSubscriptionPayload {
  @Field(() => PushSubscriptionType, { description: "The current subscription." })
  subscription!: PushSubscriptionType;

  @Legacy()
  @Field(() => [PushSubscriptionEdge], {
    description: "The same subscription as a list of one edge.",
  })
  edges!: Edge<PushSubscriptionType>[];
}

@ObjectType({ description: "Result of deletePushSubscription.", simpleResolvers: true })
export class DeletePushSubscriptionPayload {
  @Field(() => ID, { description: "Id of the deleted subscription." })
  deletedPushSubscriptionId!: number;

  @Field(() => ID, { description: "The user whose device it was." })
  userId!: number;
}

/** Converts a subscription to GraphQL. */
export function toGraphqlSubscription(subscription: PushSubscription): PushSubscriptionType {
  const { id, channel, platform, udid } = subscription;
  return {
    ...subscription,
    databaseId: id,
    notificationChannel: { name: channel },
    device: { udid, platform: { name: platform } },
  };
}
