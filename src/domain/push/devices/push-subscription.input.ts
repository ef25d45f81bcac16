import { ArgsType, Field, ID, InputType } from "type-graphql";
import { PushEnvironmentName } from "../../applications/push-environment.type";
import { AuditedAs } from "../../audit/entries/audited";
import { PageArgs } from "../../paging/page.type";
import type { PushEnvironment, PushPlatform } from "../channels/channel";
import { type InputChannel, PushChannelName, PushPlatformName } from "../channels/channel.type";

@InputType({
  description: "A browser's PushSubscription (W3C Push API): its endpoint, and its keys in Base64.",
})
export class WebPushInput {
  @Field(() => String, {
    nullable: true,
    description: "URL at the browser's push service: https, up to 2,048 characters.",
  })
  endpoint?: string | null;

  @Field(() => String, { nullable: true, description: "Authentication secret: 16 bytes." })
  auth?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Public key: an uncompressed point on P-256, 65 bytes.",
  })
  p256dh?: string | null;
}

@InputType({ description: "A device to subscribe to notifications on one channel." })
export class CreatePushSubscriptionInput {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: InputChannel;

  @Field(() => PushEnvironmentName as object, {
    description: "Builds of the app: for developers or for users.",
  })
  environment!: PushEnvironment;

  @Field(() => PushPlatformName as object, { description: "Platform of the device." })
  platform!: PushPlatform;

  @Field({ description: "Identifies the device among the user's devices: 1 to 255 characters." })
  udid!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Device token of the push service, up to 4,096 characters; for APNs in hexadecimal digits. Required for every channel except WEB.",
  })
  token?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Bundle identifier (iOS) or package (Android) of the app.",
  })
  bundleId?: string | null;

  @Field(() => WebPushInput, {
    nullable: true,
    description: "Replaces the token for the channel WEB.",
  })
  web?: WebPushInput | null;
}

@InputType({ description: "A subscription to delete." })
export class DeletePushSubscriptionInput {
  @AuditedAs("pushSubscriptionId")
  @Field(() => ID, { description: "The subscription." })
  id!: string;
}

/** A page of what one of an application's users has. */
@ArgsType()
export class UserPageArgs extends PageArgs {
  @Field(() => ID, { description: "The user." })
  userId!: string;
}
