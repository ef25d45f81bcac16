import { registerEnumType } from "type-graphql";
import type { PushService } from "./channel";

/** GraphQL names of the services. */
export const PushServiceName: Record<string, PushService> = {
  APNS: "apns",
  FCM: "fcm",
  WEB: "web",
};
registerEnumType(PushServiceName, {
  name: "PushService",
  description: "A service that delivers pushes to devices.",
  valuesConfig: {
    APNS: { description: "Apple's push service, for the channels APNS and APNS_VOIP." },
    FCM: { description: "Firebase Cloud Messaging, for the channel GCM." },
    WEB: { description: "The browsers' push services, for the channel WEB." },
  },
});
