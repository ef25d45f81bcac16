import { registerEnumType } from "type-graphql";
import { CHANNEL_TABLE, CHANNELS, type PushChannel, type PushPlatform } from "./channel";

/** A channel as clients name it, including the legacy name `fcm` for `gcm`. */
export type InputChannel = PushChannel | "fcm";

/** GraphQL names of the channels. */
export const PushChannelName: Record<string, InputChannel> = {
  ...Object.fromEntries([...CHANNELS].sort().map((channel) => [channel.toUpperCase(), channel])),
  FCM: "fcm",
};
registerEnumType(PushChannelName, {
  name: "PushChannel",
  description: "The channel that delivers a notification to a device.",
  valuesConfig: {
    ...Object.fromEntries(
      CHANNELS.map((channel) => [
        channel.toUpperCase(),
        { description: CHANNEL_TABLE[channel].description },
      ]),
    ),
    FCM: { description: "Alias of GCM, accepted in input only." },
  },
});

/** GraphQL names of the platforms. */
export const PushPlatformName: Record<string, PushPlatform> = {
  IOS: "ios",
  ANDROID: "android",
  WEB: "web",
};
registerEnumType(PushPlatformName, {
  name: "PushPlatform",
  description: "Platform of a device.",
  valuesConfig: {
    IOS: { description: "iOS and iPadOS." },
    ANDROID: { description: "Android." },
    WEB: { description: "A browser." },
  },
});

/** Resolves the alias `fcm` to its channel. */
export function channelOf(name: InputChannel): PushChannel {
  return name === "fcm" ? "gcm" : name;
}
