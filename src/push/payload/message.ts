import { Fault } from "../../core/errors";
import type { PushChannel } from "../channel";
import { decodeText } from "./base64";
import { type FcmContent, readFcmContent, readFcmPairs } from "./fcm-message";
import { type JsonObject, parseObject } from "./json";
import { readUniversal, type Universal } from "./universal";

/** Characters of `event[message]` at most; what the platforms take is checked apart (size.ts). */
export const MESSAGE_MAX = 16_384;

/** What stands in front of a platform's own payload. */
const PLATFORM = /^\s*payload=/;

/** A payload that the sender wrote for one platform. */
export type PlatformMessage = { kind: "platform" } & (
  | { channel: "apns" | "apns_voip" | "web"; content: JsonObject }
  | ({ channel: "gcm" } & FcmContent)
);

/** `event[message]` as read and checked: translate.ts says what becomes of it on a channel. */
export type Message = Universal | PlatformMessage;

/** The text after `payload=`, where the escapes of a form stand for Base64's own signs. */
function platformText(text: string): string {
  return decodeText(text.replace(PLATFORM, "").replace(/%(2B|2F|3D)/gi, decodeURIComponent));
}

function readUniversalText(text: string): Universal {
  if (PLATFORM.test(text)) {
    throw Fault.field(
      "message",
      "begins with payload=, which is for one platform: name its push type, or send the Base64 of a JSON object",
    );
  }
  if (/^\s*[{[]/.test(text)) {
    throw Fault.field("message", "must be the Base64 of a JSON object, and is not encoded");
  }
  return readUniversal(parseObject(decodeText(text)));
}

function readPlatformText(text: string, channel: PushChannel): PlatformMessage {
  if (channel === "gcm") {
    const pairs = text.split("&").some((pair) => pair.trimStart().startsWith("data."));
    if (pairs && !PLATFORM.test(text))
      return { kind: "platform", channel, ...readFcmPairs(text.trim()) };
  }
  if (!PLATFORM.test(text)) {
    const other = channel === "gcm" ? ", or data.key=value pairs" : "";
    throw Fault.field(
      "message",
      `must be payload= and the Base64 of the platform's JSON${other}; without a push type it is the Base64 of a universal message`,
    );
  }
  const content = parseObject(platformText(text));
  return channel === "gcm"
    ? { kind: "platform", channel, ...readFcmContent(content) }
    : { kind: "platform", channel, content };
}

/**
 * Reads `event[message]` (interface.md "Payload rules"; decisions.md "Push").
 *
 * Universal: the Base64 of a JSON object of standard and custom keys. For one platform: `payload=` and
 * the Base64 of that platform's JSON; for gcm also `data.key=value` pairs joined by `&`.
 * @param channel the platform that the payload is for; null for a universal message
 * @throws Fault INVALID on `message`, with every key that is wrong
 */
export function readMessage(text: string, channel: PushChannel | null): Message {
  if (text.trim() === "") throw Fault.field("message", "is empty");
  if (text.length > MESSAGE_MAX) {
    throw Fault.field("message", `has more than ${MESSAGE_MAX.toLocaleString("en-US")} characters`);
  }
  return channel === null ? readUniversalText(text) : readPlatformText(text, channel);
}

/** Whether a universal message asks for a VoIP push where a recipient has a subscription for it. */
export function voipWanted(message: Message): boolean {
  return message.kind === "universal" && message.voip;
}

/** Unix seconds after which the notification is worth nothing; null where the message does not say. */
export function expirationOf(message: Message): number | null {
  return message.kind === "universal" ? message.expiration : null;
}
