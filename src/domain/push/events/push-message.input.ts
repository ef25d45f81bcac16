import { GraphQLJSONObject } from "graphql-scalars";
import { Field, InputType } from "type-graphql";
import { Fault } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import { Legacy } from "../../access/legacy";
import { channelOf, type InputChannel, PushChannelName } from "../channels/channel.type";
import { unlessEmpty } from "../payload/json";
import type { PushNotification } from "../payload/notification";
import type { MessageInput } from "./event-request";
import { PushNotificationObject } from "./push-notification.type";

@InputType({ description: "The payload of one platform, sent as it is." })
export class PlatformPayloadInput {
  @Field(() => PushChannelName as object, { description: "The channel." })
  channel!: InputChannel;

  @Field(() => GraphQLJSONObject, {
    description: "The platform's own JSON: with `aps` for Apple, a message of FCM's HTTP v1 API.",
  })
  payload!: JsonObject;
}

@InputType({ description: "A message in the form of REST's event[message]." })
export class EncodedPushMessageInput {
  @Field(() => PushChannelName as object, {
    nullable: true,
    description: "Channel of a platform-specific message; omit it for a message to all platforms.",
  })
  channel?: InputChannel | null;

  @Field({
    description:
      "For all platforms: a JSON object in Base64. For one: `payload=` followed by the platform's JSON in Base64.",
  })
  text!: string;
}

@InputType({ description: "The message of a push: exactly one of its forms." })
export class PushMessageInput {
  @Field(() => PushNotificationObject, {
    nullable: true,
    description: "A notification, which every platform receives in its own form.",
  })
  notification?: PushNotificationObject | null;

  @Field(() => PlatformPayloadInput, {
    nullable: true,
    description: "The payload of one platform; only devices of its channel receive it.",
  })
  platform?: PlatformPayloadInput | null;

  @Legacy()
  @Field(() => EncodedPushMessageInput, { nullable: true, description: "A message in Base64." })
  encoded?: EncodedPushMessageInput | null;
}

/** Converts the message to the domain's input. @throws Fault INVALID unless it has exactly one form */
export function toMessageInput(input: PushMessageInput): MessageInput {
  const { notification, platform, encoded } = input;
  if (notification) return { notification: withoutNulls(notification) as PushNotification };
  if (platform) {
    return { platform: { channel: channelOf(platform.channel), payload: platform.payload } };
  }
  if (!encoded) throw Fault.field("message", "takes exactly one of notification and platform");
  const { channel, text } = encoded;
  return { encoded: { channel: channel ? channelOf(channel) : null, text } };
}

/** Omits the fields that are null, and the platforms that then have no content. Leaves `data` as it is. */
function withoutNulls({ apple, android, web, ...shared }: PushNotificationObject): object {
  const own = Object.entries({ apple, android, web }).map(([name, content]) => [
    name,
    content && unlessEmpty(given(content)),
  ]);
  return given({ ...shared, ...Object.fromEntries(own) });
}

function given(content: object): object {
  const entries = Object.entries(content);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
}
