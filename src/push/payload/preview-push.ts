import type { JsonObject } from "../../core/json";
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

function headersOf(push: PushPayload): Record<string, string> {
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

/** Previews a push for a dry run. */
export function previewPush(push: PushPayload): PushPreview {
  const { bytes, max } = sizeOf(push);
  const payload = push.channel === "gcm" ? (push.message as JsonObject) : JSON.parse(push.payload);
  return { channel: push.channel, headers: headersOf(push), payload, bytes, maxBytes: max };
}
