import { given, isObject, type JsonObject, unlessEmpty } from "./json";
import type { ApnsPush } from "./push";
import type { Universal } from "./universal";

/** Parts of `aps` that a person notices. */
const NOTICED = ["alert", "badge", "sound"];

/** Whether a person notices a push; an empty text does nothing. */
function isNoticed(aps: JsonObject): boolean {
  return NOTICED.some((part) => aps[part] !== undefined && aps[part] !== null && aps[part] !== "");
}

/** What the standard keys are of `aps` (developer.apple.com "Generating a remote notification"). */
function standardOf(message: Universal): JsonObject {
  // A background push does not reach the app without it.
  const available = message.contentAvailable || message.pushType === "background";
  return given({
    alert: unlessEmpty(given({ body: message.text, ...message.alert })),
    badge: message.badge,
    sound: message.sound,
    "content-available": available ? 1 : undefined,
    "mutable-content": message.mutableContent ? 1 : undefined,
    category: message.category,
    "thread-id": message.threadId,
  });
}

/** A custom `aps` has the parts that no standard key stands for. */
function apsOf(message: Universal): JsonObject {
  const { aps } = message.custom;
  return { ...(isObject(aps) ? aps : {}), ...standardOf(message) };
}

/** Parts of a custom `aps` that do not reach Apple's devices, and why. */
export function apsLeftOut(message: Universal): string[] {
  const { aps } = message.custom;
  if (aps === undefined) return [];
  if (!isObject(aps)) return ["aps is left out: it is no object"];
  const standard = standardOf(message);
  return Object.keys(aps)
    .filter((part) => Object.hasOwn(standard, part))
    .map((part) => `aps.${part} is left out: a standard key says it`);
}

/**
 * A universal message for Apple's devices. Apple demands priority 5 of a background push, and of one
 * that nobody notices ("Sending notification requests to APNs").
 */
export function toApns(message: Universal, channel: ApnsPush["channel"]): ApnsPush {
  const aps = apsOf(message);
  const { aps: _, ...custom } = message.custom;
  const { pushType, expiration } = message;
  if (channel === "apns_voip") {
    // A VoIP push is shown by the app alone, which then finds the text beside its own keys as well.
    const payload = JSON.stringify({ aps, message: message.text, ...custom });
    return { channel, payload, pushType: "voip", priority: 10, expiration };
  }
  const priority = pushType === "alert" && isNoticed(aps) ? 10 : 5;
  return { channel, payload: JSON.stringify({ aps, ...custom }), pushType, priority, expiration };
}

/** A payload that was written for Apple's devices: whole, with the headers that its content asks for. */
export function wholeApns(content: JsonObject, channel: ApnsPush["channel"]): ApnsPush {
  const push = { channel, payload: JSON.stringify(content), expiration: null };
  if (channel === "apns_voip") return { ...push, pushType: "voip", priority: 10 };
  const aps = isObject(content.aps) ? content.aps : {};
  const silent = aps["content-available"] === 1 && !isNoticed(aps);
  return silent
    ? { ...push, pushType: "background", priority: 5 }
    : { ...push, pushType: "alert", priority: 10 };
}
