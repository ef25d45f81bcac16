import { registerEnumType } from "type-graphql";
import {
  CHANNEL_TABLE,
  CHANNELS,
  listInProse,
  type PushChannel,
  type PushPlatform,
  type PushService,
  SERVICE_TABLE,
  SERVICES,
} from "./channel";

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

/** GraphQL names of the services. */
export const PushServiceName: Record<string, PushService> = Object.fromEntries(
  SERVICES.map((service) => [service.toUpperCase(), service]),
);
registerEnumType(PushServiceName, {
  name: "PushService",
  description: "A service that delivers pushes to devices.",
  valuesConfig: Object.fromEntries(
    SERVICES.map((service) => [service.toUpperCase(), { description: descriptionOf(service) }]),
  ),
});

function descriptionOf(service: PushService): string {
  const channels = CHANNELS.filter((channel) => CHANNEL_TABLE[channel].service === service);
  const names = channels.map((channel) => channel.toUpperCase()).sort();
  const noun = names.length === 1 ? "channel" : "channels";
  return `${SERVICE_TABLE[service].description}, for the ${noun} ${listInProse(names, "and")}.`;
}
