import { GraphQLJSONObject } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { PushChannel } from "../channels/channel";
import { PushChannelName } from "../channels/channel.type";
import { PushRecipientCount } from "../devices/push-recipients.type";
import type { PushDisplay } from "../payload/display";
import type { ChannelDryRun } from "./dry-run";

@ObjectType("PushDisplay", {
  description:
    "What a device shows of a push without the help of the app. A browser's service worker may show it otherwise.",
  simpleResolvers: true,
})
export class PushDisplayType implements PushDisplay {
  @Field({
    description: "Whether the device shows a notification; if not, the push only wakes the app.",
  })
  visible!: boolean;

  @Field(() => String, { nullable: true, description: "Title." })
  title!: string | null;

  @Field(() => String, { nullable: true, description: "Subtitle, on Apple's platforms." })
  subtitle!: string | null;

  @Field(() => String, { nullable: true, description: "Text." })
  body!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Key of a text of the app that is shown as the title.",
  })
  titleLocKey!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Key of a text of the app that is shown as the text.",
  })
  bodyLocKey!: string | null;

  @Field(() => Int, { nullable: true, description: "Number on the app's icon." })
  badge!: number | null;

  @Field(() => String, { nullable: true, description: "Sound that is played." })
  sound!: string | null;

  @Field(() => String, { nullable: true, description: "URL of an image." })
  imageUrl!: string | null;

  @Field(() => String, { nullable: true, description: "Name or URL of an icon." })
  icon!: string | null;
}

@ObjectType({
  description: "Result of a dry run for one channel. Nothing was sent.",
  simpleResolvers: true,
})
export class PushChannelDryRun {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: PushChannel;

  @Field(() => Int, { description: "Number of recipient devices, counted up to 10,000." })
  deviceCount!: number;

  @Field(() => Int, { description: "Number of users that own these devices." })
  userCount!: number;

  @Field({ description: "Whether there are more recipients than counted." })
  more!: boolean;

  @Field(() => [ID], { description: "A sample of up to 100 recipients." })
  userIds!: number[];

  @Field(() => GraphQLJSONObject, { description: "Request headers that depend on the message." })
  headers!: Record<string, string>;

  @Field(() => GraphQLJSONObject, { description: "Payload for the push service." })
  payload!: object;

  @Field(() => PushDisplayType, {
    description: "What the device shows of the payload without the help of the app.",
  })
  display!: PushDisplay;

  @Field(() => Int, { description: "Size in bytes, as the platform counts it." })
  bytes!: number;

  @Field(() => Int, { description: "Maximum size in bytes on the platform." })
  maxBytes!: number;

  @Field(() => [String], {
    description: "Keys of the message that are dropped on this channel, each with the reason.",
  })
  droppedKeys!: string[];

  @Field({ description: "Whether anything would be sent on this channel." })
  sendable!: boolean;

  @Field(() => [String], {
    description: "Reasons why the push, or part of it, would not arrive; includes droppedKeys.",
  })
  problems!: string[];
}

@ObjectType({ description: "Result of a dry run. Nothing was sent.", simpleResolvers: true })
export class PushDryRun {
  @Field(() => [String], {
    description:
      "Reasons why the push would be refused, as `field: reason`; empty if it would be accepted.",
  })
  problems!: string[];

  @Field(() => PushRecipientCount, {
    nullable: true,
    description: "Recipients on all channels; null if the push would be refused.",
  })
  recipients!: PushRecipientCount | null;

  @Field(() => [PushChannelDryRun], { description: "Result for each channel of the push." })
  channels!: ChannelDryRun[];
}
