import type { PushChannel, PushService } from "../store/generated/enums";

export type {
  PushChannel,
  PushEnvironment,
  PushPlatform,
  PushService,
} from "../store/generated/enums";

/** Every channel, in the order in which a device that has several is reached (a VoIP push first). */
export const CHANNELS = ["apns_voip", "apns", "gcm", "web"] as const satisfies PushChannel[];

/** The service behind each channel: both of Apple's share one. */
export const SERVICE_OF: Readonly<Record<PushChannel, PushService>> = {
  apns: "apns",
  apns_voip: "apns",
  gcm: "fcm",
  web: "web",
};
