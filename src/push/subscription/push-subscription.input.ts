import { Field, ID, InputType } from "type-graphql";
import { PushEnvironmentName } from "../../identity/application/push-environment.type";
import type { PushEnvironment, PushPlatform } from "../channel";
import { type NamedChannel, PushChannelName, PushPlatformName } from "../channel.type";

@InputType({
  description:
    "What a browser's PushSubscription tells (W3C Push API): its endpoint, and its keys in Base64.",
})
export class WebPushInput {
  @Field(() => String, {
    nullable: true,
    description: "Address at the browser's push service: https, 2,048 characters at most.",
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

@InputType({ description: "A device that is to receive notifications over one channel." })
export class CreatePushSubscriptionInput {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: NamedChannel;

  @Field(() => PushEnvironmentName as object, { description: "Of developers, or of users." })
  environment!: PushEnvironment;

  @Field(() => PushPlatformName as object, { description: "What the device runs." })
  platform!: PushPlatform;

  @Field({ description: "Text that names the device among the user's: 1 to 255 characters." })
  udid!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "What the push service calls the device, 4,096 characters at most. With every channel but WEB; of APNs in hexadecimal digits.",
  })
  token?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Bundle identifier of the app on iOS, its package on Android.",
  })
  bundleId?: string | null;

  @Field(() => WebPushInput, {
    nullable: true,
    description: "With the channel WEB, in place of the token.",
  })
  web?: WebPushInput | null;
}

@InputType({ description: "A subscription that is to end." })
export class DeletePushSubscriptionInput {
  @Field(() => ID, { description: "The subscription, one's own." })
  id!: string;
}
