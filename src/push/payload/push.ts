/**
 * A notification as Apple's push service takes it (developer.apple.com "Sending notification requests
 * to APNs"): the same for every device of an event.
 */
export interface ApnsPush {
  channel: "apns" | "apns_voip";
  /** The body: JSON. */
  payload: string;
  /** Header apns-push-type. */
  pushType: "alert" | "background" | "voip";
  /** Header apns-priority: 10 at once, 5 as power allows. */
  priority: 5 | 10;
  /** Header apns-expiration, Unix seconds; null without one. */
  expiration: number | null;
}

/** A notification as Firebase takes it: `message` of the HTTP v1 API, without its `token`. */
export interface FcmPush {
  channel: "gcm";
  message: {
    data?: Record<string, string>;
    notification?: Record<string, unknown>;
    android?: Record<string, unknown>;
    [key: string]: unknown;
  };
}

/** A notification as browsers' push services take it (RFC 8030): a body that is encrypted per device. */
export interface WebPush {
  channel: "web";
  /** What the page's service worker reads: JSON. */
  payload: string;
  /** Header TTL: seconds that the service keeps it for a browser that is away. */
  ttl: number;
}

/** What goes to the provider of one channel. */
export type Push = ApnsPush | FcmPush | WebPush;
