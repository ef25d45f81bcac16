import type { PushChannel, PushService } from "../../../platform/store/generated/enums";

export type {
  PushChannel,
  PushEnvironment,
  PushPlatform,
  PushService,
} from "../../../platform/store/generated/enums";

/** What is fixed for a channel. */
interface ChannelRow {
  /** The push service behind the channel. */
  service: PushService;
  /** In the GraphQL schema. */
  description: string;
}

/** Every channel, in order of preference for a device with several (VoIP first). */
export const CHANNEL_TABLE: Readonly<Record<PushChannel, ChannelRow>> = {
  apns_voip: { service: "apns", description: "Apple's push service, for calls (PushKit)." },
  apns: { service: "apns", description: "Apple's push service." },
  gcm: { service: "fcm", description: "Firebase Cloud Messaging." },
  web: { service: "web", description: "The push service of a browser (RFC 8030)." },
};

/** The channels, in the order of {@link CHANNEL_TABLE}. */
export const CHANNELS = Object.keys(CHANNEL_TABLE) as PushChannel[];

/** Every push service. The description begins the one in the GraphQL schema. */
export const SERVICE_TABLE: Readonly<Record<PushService, { description: string }>> = {
  apns: { description: "Apple's push service" },
  fcm: { description: "Firebase Cloud Messaging" },
  web: { description: "The browsers' push services" },
};

/** The services, in the order of {@link SERVICE_TABLE}. */
export const SERVICES = Object.keys(SERVICE_TABLE) as PushService[];

/** Names joined as prose: "apns, fcm and web". */
export function listInProse(names: readonly string[], conjunction: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${conjunction} ${last}` : last;
}
