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
    APNS: { description: "Apple's, of the channels APNS and APNS_VOIP." },
    FCM: { description: "Firebase Cloud Messaging, of the channel GCM." },
    WEB: { description: "Those of the browsers, of the channel WEB." },
  },
});
