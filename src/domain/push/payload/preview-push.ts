import type { JsonObject } from "../../../core/json";
import type { PushChannel } from "../channels/channel";
import type { PushPayload } from "./push-payload";
import { sizeOf } from "./size";

/** Human-readable preview of a provider request, independent of the device. */
export interface PushPreview {
  channel: PushChannel;
  /** Request headers that depend on the message. */
  headers: Record<string, string>;
  /** The body; for gcm `message` of the HTTP v1 API. */
  payload: JsonObject;
  /** Size as the platform counts it, and the platform's limit. */
  bytes: number;
  maxBytes: number;
}

function requestOf(push: PushPayload): Pick<PushPreview, "headers" | "payload"> {
  switch (push.channel) {
    case "apns":
    case "apns_voip": {
      const headers = {
        "apns-push-type": push.pushType,
        "apns-priority": `${push.priority}`,
        ...(push.expiration !== null && { "apns-expiration": `${push.expiration}` }),
      };
      return { headers, payload: JSON.parse(push.payload) };
    }
    case "gcm":
      return { headers: {}, payload: push.message as JsonObject };
    case "web":
      return { headers: { TTL: `${push.ttl}` }, payload: JSON.parse(push.payload) };
  }
}

/** Previews a push for a dry run. */
export function previewPush(push: PushPayload): PushPreview {
  const { bytes, max } = sizeOf(push);
  return { channel: push.channel, ...requestOf(push), bytes, maxBytes: max };
}
