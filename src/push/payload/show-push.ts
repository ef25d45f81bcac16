import type { PushChannel } from "../channel";
import type { JsonObject } from "./json";
import type { Push } from "./push";
import { sizeOf } from "./size";

/** A push as a person reads it: what would go over the wire, whoever it goes to. */
export interface PushView {
  channel: PushChannel;
  /** Headers of the request that the message decides, by their names. */
  headers: Record<string, string>;
  /** The body; for gcm `message` of the HTTP v1 API. */
  payload: JsonObject;
  /** Bytes that the platform counts, and how many it takes. */
  bytes: number;
  maxBytes: number;
}

function headersOf(push: Push): Record<string, string> {
  switch (push.channel) {
    case "gcm":
      return {};
    case "web":
      return { TTL: `${push.ttl}` };
    default:
      return {
        "apns-push-type": push.pushType,
        "apns-priority": `${push.priority}`,
        ...(push.expiration !== null && { "apns-expiration": `${push.expiration}` }),
      };
  }
}

/** Shows what a push would be, for a trial that sends nothing. */
export function showPush(push: Push): PushView {
  const { bytes, max } = sizeOf(push);
  const payload = push.channel === "gcm" ? (push.message as JsonObject) : JSON.parse(push.payload);
  return { channel: push.channel, headers: headersOf(push), payload, bytes, maxBytes: max };
}
