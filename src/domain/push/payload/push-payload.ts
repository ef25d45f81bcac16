import type { Message } from "firebase-admin/messaging";

/**
 * A notification in the format of Apple's push service (developer.apple.com "Sending notification requests
 * to APNs"), the same for every device of an event.
 */
export interface ApnsPush {
  channel: "apns" | "apns_voip";
  /** The body: JSON. */
  payload: string;
  /** Header apns-push-type. */
  pushType: "alert" | "background" | "voip";
  /** Header apns-priority: 10 for immediate delivery, 5 for delivery that saves power. */
  priority: 5 | 10;
  /** Header apns-expiration, Unix seconds; null without one. */
  expiration: number | null;
  /** What the push is about, for the header apns-collapse-id of an alert: at most 64 bytes. Without it, the delivery. */
  collapseId?: string;
}

/**
 * `message` of Firebase's HTTP v1 API, without a recipient. It has the parts of firebase-admin's `Message`,
 * each as the JSON that the API reads: the package's own client writes "60s" for its `ttl: 60_000`.
 */
export type FcmMessage = Pick<Message, "data"> &
  Partial<Record<Exclude<keyof Message, "data"> | "fcm_options", Record<string, unknown>>>;

/** A notification in Firebase's format. */
export interface FcmPush {
  channel: "gcm";
  message: FcmMessage;
}

/** A notification for browser push services (RFC 8030), with a payload that is encrypted per device. */
export interface WebPush {
  channel: "web";
  /** JSON for the page's service worker. */
  payload: string;
  /** Header TTL: seconds that the service keeps the message for an offline browser. */
  ttl: number;
  /** What the push is about, for the header Topic: at most 32 characters of base64url. Without it, the delivery. */
  topic?: string;
}

/** A notification in the format of one channel's provider. */
export type PushPayload = ApnsPush | FcmPush | WebPush;
