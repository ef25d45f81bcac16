import { registerEnumType } from "type-graphql";
import type { PushChannel, PushPlatform } from "./channel";

/** A channel as clients name it: the interface's older name of Firebase is taken too. */
export type NamedChannel = PushChannel | "fcm";

/** GraphQL names of the channels. */
export const PushChannelName: Record<string, NamedChannel> = {
  APNS: "apns",
  APNS_VOIP: "apns_voip",
  GCM: "gcm",
  WEB: "web",
  FCM: "fcm",
};
registerEnumType(PushChannelName, {
  name: "PushChannel",
  description: "The way that a notification takes to a device.",
  valuesConfig: {
    APNS: { description: "Apple's push service." },
    APNS_VOIP: { description: "Apple's push service, for calls (PushKit)." },
    GCM: { description: "Firebase Cloud Messaging." },
    WEB: { description: "The push service of a browser (RFC 8030)." },
    FCM: { description: "Another name of GCM, taken and never answered." },
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
  description: "What a device runs.",
  valuesConfig: {
    IOS: { description: "An iPhone, an iPad and the like." },
    ANDROID: { description: "Android." },
    WEB: { description: "A browser." },
  },
});

/** The channel that is meant by a name. */
export function channelOf(name: NamedChannel): PushChannel {
  return name === "fcm" ? "gcm" : name;
}
