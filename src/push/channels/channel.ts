import type { PushChannel, PushService } from "../../store/generated/enums";

export type {
  PushChannel,
  PushEnvironment,
  PushPlatform,
  PushService,
} from "../../store/generated/enums";

/** Every channel, in order of preference for a device with several (VoIP first). */
export const CHANNELS = ["apns_voip", "apns", "gcm", "web"] as const satisfies PushChannel[];

/** The push service behind each channel. Both Apple channels share one. */
export const SERVICE_OF: Readonly<Record<PushChannel, PushService>> = {
  apns: "apns",
  apns_voip: "apns",
  gcm: "fcm",
  web: "web",
};
