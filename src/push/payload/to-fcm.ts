import { toData } from "./fcm-data";
import { FCM_TTL_MAX } from "./fcm-message";
import { omitUndefined, unlessEmpty } from "./json";
import type { FcmPush } from "./push-payload";
import { secondsLeft } from "./time-to-live";
import type { UniversalMessage } from "./universal";

/**
 * Converts a universal message for Android. A message to display, even one that the app displays from its
 * data, or a call gets high priority; others keep Firebase's default, which saves power.
 * @param now Unix milliseconds
 */
export function toFcm(message: UniversalMessage, now: number): FcmPush {
  const { text, notification, custom, expiration } = message;
  const urgent = text !== undefined || notification !== undefined || message.voip;
  const ttl = secondsLeft(expiration, now, FCM_TTL_MAX);
  const android = omitUndefined({
    priority: urgent ? "HIGH" : undefined,
    ttl: ttl === undefined ? undefined : `${ttl}s`,
    notification: unlessEmpty(notification?.android),
  });
  const parts = {
    data: unlessEmpty(toData(omitUndefined({ message: text, ...custom }))),
    notification: unlessEmpty(notification?.shared),
    android: unlessEmpty(android),
  };
  return { channel: "gcm", message: omitUndefined(parts) };
}
