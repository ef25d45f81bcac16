import { registerEnumType } from "type-graphql";
import type { PushChannel, PushPlatform } from "./channel";

/** A channel as clients name it, including the legacy name `fcm` for `gcm`. */
export type InputChannel = PushChannel | "fcm";

/** GraphQL names of the channels. */
export const PushChannelName: Record<string, InputChannel> = {
  APNS: "apns",
  APNS_VOIP: "apns_voip",
  GCM: "gcm",
  WEB: "web",
  FCM: "fcm",
};
registerEnumType(PushChannelName, {
  name: "PushChannel",
  description: "The channel that delivers a notification to a device.",
  valuesConfig: {
    APNS: { description: "Apple's push service." },
    APNS_VOIP: { description: "Apple's push service, for calls (PushKit)." },
    GCM: { description: "Firebase Cloud Messaging." },
    WEB: { description: "The push service of a browser (RFC 8030)." },
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
