import { GraphQLSafeInt } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import type { PushChannel, PushEnvironment, PushPlatform } from "../channel";
import { PushChannelName, PushPlatformName } from "../channel.type";
import type { PushSubscription } from "./push-subscriptions";

const COMPATIBLE = "Kept for REST-compatible clients, which expect an object.";

@ObjectType({ description: "A name by itself, in lower case.", simpleResolvers: true })
export class PushName {
  @Field({ description: "The name." })
  name!: string;
}

@ObjectType({ description: "A device that receives notifications.", simpleResolvers: true })
export class PushDevice {
  @Field({ description: "Text that names the device among the user's." })
  udid!: string;

  @Field(() => PushName, { description: "What it runs: ios, android or web." })
  platform!: PushName;
}

@ObjectType("PushSubscription", {
  description: "A device that receives notifications over one channel.",
  simpleResolvers: true,
})
export class PushSubscriptionType {
  @Field(() => ID, { description: "Identifier, unique among subscriptions." })
  id!: number;

  @Field(() => GraphQLSafeInt, {
    description: "The identifier as a number, the form of the REST paths.",
  })
  databaseId!: number;

  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => PushEnvironmentName as object, { description: "Of developers, or of users." })
  environment!: PushEnvironment;

  @Field(() => PushPlatformName as object, { description: "What the device runs." })
  platform!: PushPlatform;

  @Field({ description: "Text that names the device among the user's." })
  udid!: string;

  @Field(() => String, {
    nullable: true,
    description: "Bundle identifier or package of the app, if the device told.",
  })
  bundleId!: string | null;

  @Field(() => Date, { description: "When the device first registered." })
  createdAt!: Date;

  @Field(() => Date, { description: "When the device last registered." })
  updatedAt!: Date;

  @Field(() => PushName, {
    description: "The channel: apns, apns_voip, gcm or web.",
    deprecationReason: COMPATIBLE,
  })
  notificationChannel!: PushName;

  @Field(() => PushDevice, { description: "The device.", deprecationReason: COMPATIBLE })
  device!: PushDevice;
}

@ObjectType({ description: "A subscription at its place in a list.", simpleResolvers: true })
export class PushSubscriptionEdge {
  @Field(() => PushSubscriptionType, { description: "The subscription." })
  node!: PushSubscriptionType;
}

@ObjectType({ description: "The subscriptions of a user, oldest first.", simpleResolvers: true })
export class PushSubscriptionConnection {
  @Field(() => [PushSubscriptionType], { description: "The subscriptions." })
  nodes!: PushSubscriptionType[];

  @Field(() => [PushSubscriptionEdge], { description: "The subscriptions with their places." })
  edges!: PushSubscriptionEdge[];

  @Field(() => Int, { description: "How many there are." })
  totalCount!: number;
}

@ObjectType({ description: "What createPushSubscription answers.", simpleResolvers: true })
export class CreatePushSubscriptionPayload {
  @Field(() => PushSubscriptionType, { description: "The subscription as it is now." })
  subscription!: PushSubscriptionType;

  @Field(() => [PushSubscriptionEdge], {
    description: "The same, at its place in a list of one.",
    deprecationReason: "Kept for REST-compatible clients, which expect a list.",
  })
  edges!: PushSubscriptionEdge[];
}

@ObjectType({ description: "What deletePushSubscription answers.", simpleResolvers: true })
export class DeletePushSubscriptionPayload {
  @Field(() => ID, { description: "Id of the subscription that is no more." })
  deletedPushSubscriptionId!: number;
}

/** A subscription in the form that GraphQL shows. */
export function showPushSubscription(subscription: PushSubscription): PushSubscriptionType {
  const { id, channel, platform, udid } = subscription;
  return {
    ...subscription,
    databaseId: id,
    notificationChannel: { name: channel },
    device: { udid, platform: { name: platform } },
  };
}
