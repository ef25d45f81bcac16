import type { JsonObject } from "../../../core/json";
import { isObject, omitUndefined, unlessEmpty } from "./json";
import type { ApnsPush } from "./push-payload";
import type { UniversalMessage } from "./universal";

/** Keys of `aps` that the user notices. */
const NOTICEABLE = ["alert", "badge", "sound"];

/** Whether the user notices a push. An empty string has no effect. */
function isNoticeable(aps: JsonObject): boolean {
  return NOTICEABLE.some((key) => aps[key] !== undefined && aps[key] !== null && aps[key] !== "");
}

/** The `aps` keys that standard keys set (developer.apple.com "Generating a remote notification"). */
function standardAps(message: UniversalMessage): JsonObject {
  // Required for a background push to reach the app.
  const available = message.contentAvailable || message.pushType === "background";
  return omitUndefined({
    alert: unlessEmpty(omitUndefined({ body: message.text, ...message.alert })),
    badge: message.badge,
    sound: message.sound,
    "content-available": available ? 1 : undefined,
    "mutable-content": message.mutableContent ? 1 : undefined,
    category: message.category,
    "thread-id": message.threadId,
  });
}

/** Merges a custom `aps` with the standard keys, which take precedence. */
function apsOf(message: UniversalMessage): JsonObject {
  const { aps } = message.custom;
  return { ...(isObject(aps) ? aps : {}), ...standardAps(message) };
}

/** Dropped keys of a custom `aps`, with reasons. */
export function droppedApsKeys(message: UniversalMessage): string[] {
  const { aps } = message.custom;
  if (aps === undefined) return [];
  if (!isObject(aps)) return ["aps is dropped: it is not an object"];
  const standard = standardAps(message);
  return Object.keys(aps)
    .filter((key) => Object.hasOwn(standard, key))
    .map((key) => `aps.${key} is dropped: a standard key sets it`);
}

/**
 * Converts a universal message for Apple's devices. Apple requires priority 5 for a background push and for
 * one that the user does not notice ("Sending notification requests to APNs").
 */
export function toApns(message: UniversalMessage, channel: ApnsPush["channel"]): ApnsPush {
  const aps = apsOf(message);
  const { aps: _, ...custom } = message.custom;
  const { pushType, expiration } = message;
  if (channel === "apns_voip") {
    // The app itself displays a VoIP push, so it also gets the text next to its own keys.
    const payload = JSON.stringify({ aps, message: message.text, ...custom });
    return { channel, payload, pushType: "voip", priority: 10, expiration };
  }
  const priority = pushType === "alert" && isNoticeable(aps) ? 10 : 5;
  return { channel, payload: JSON.stringify({ aps, ...custom }), pushType, priority, expiration };
}

/** Passes a platform-specific payload through to Apple, with headers derived from its content. */
export function passThroughApns(content: JsonObject, channel: ApnsPush["channel"]): ApnsPush {
  const push = { channel, payload: JSON.stringify(content), expiration: null };
  if (channel === "apns_voip") return { ...push, pushType: "voip", priority: 10 };
  const aps = isObject(content.aps) ? content.aps : {};
  const silent = aps["content-available"] === 1 && !isNoticeable(aps);
  return silent
    ? { ...push, pushType: "background", priority: 5 }
    : { ...push, pushType: "alert", priority: 10 };
}
