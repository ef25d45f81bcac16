import { Fault } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import type { PushChannel } from "../channels/channel";
import { type FcmContent, readFcmContent, readFcmPairs } from "./fcm-message";
import { parseObject } from "./json";
import {
  isNotification,
  type PushNotification,
  readNotification,
  unixSeconds,
} from "./notification";
import { checkMessageLength } from "./size";
import { readUniversal, type UniversalMessage } from "./universal";

/** Prefix of a platform-specific payload. */
const PLATFORM = /^\s*payload=/;

/** A platform-specific payload. */
export type PlatformMessage = { kind: "platform" } & (
  | { channel: "apns" | "apns_voip" | "web"; content: JsonObject }
  | ({ channel: "gcm" } & FcmContent)
);

/** A notification of GraphQL, whose content depends on the channel. */
export interface NotificationMessage {
  kind: "notification";
  notification: PushNotification;
}

/** A parsed and validated message. translate.ts converts it for a channel. */
export type Message = UniversalMessage | PlatformMessage | NotificationMessage;

/** Decodes the text after `payload=`, in which form escapes may replace characters of Base64. */
function platformText(text: string): string {
  return decodeText(text.replace(PLATFORM, "").replace(/%(2B|2F|3D)/gi, decodeURIComponent));
}

function readUniversalText(text: string): UniversalMessage {
  if (PLATFORM.test(text)) {
    throw Fault.field(
      "message",
      "begins with payload=, which is for a single platform: set its push type, or send a JSON object in Base64",
    );
  }
  if (/^\s*[{[]/.test(text)) {
    throw Fault.field("message", "must be a JSON object in Base64, but is not encoded");
  }
  return readUniversal(parseObject(decodeText(text)));
}

function readPlatformText(text: string, channel: PushChannel): PlatformMessage {
  switch (channel) {
    case "gcm":
      return { kind: "platform", channel, ...readFcmText(text) };
    case "apns":
    case "apns_voip":
    case "web":
      return { kind: "platform", channel, content: readPlatformJson(text) };
  }
}

function readFcmText(text: string): FcmContent {
  const pairs = text.split("&").some((pair) => pair.trimStart().startsWith("data."));
  if (pairs && !PLATFORM.test(text)) return readFcmPairs(text.trim());
  return readFcmContent(readPlatformJson(text, ", or data.key=value pairs"));
}

/** @param alternative what the platform accepts apart from JSON, for the error */
function readPlatformJson(text: string, alternative = ""): JsonObject {
  if (PLATFORM.test(text)) return parseObject(platformText(text));
  throw Fault.field(
    "message",
    `must be payload= followed by the platform's JSON in Base64${alternative}; omit the push type to send a universal message`,
  );
}

/**
 * Parses `event[message]` (docs/PUSH.md "Payloads").
 *
 * Universal: a JSON object of standard and custom keys, in Base64. Platform-specific: `payload=` followed by
 * the platform's JSON in Base64; for gcm also `data.key=value` pairs joined by `&`.
 * @param channel channel of a platform-specific message; null for a universal message
 * @throws Fault INVALID on `message`, listing the invalid keys
 */
export function readMessage(text: string, channel: PushChannel | null): Message {
  if (text.trim() === "") throw Fault.field("message", "must not be empty");
  checkMessageLength(text);
  return channel === null ? readUniversalText(text) : readPlatformText(text, channel);
}

/** The text of a payload for one platform, as {@link readMessage} takes it. */
export function writePlatformMessage(payload: JsonObject): string {
  return `payload=${Buffer.from(JSON.stringify(payload)).toString("base64")}`;
}

/**
 * Parses the message of a stored event.
 * @param universal whether it belongs to a push for all platforms
 */
export function readStoredMessage(event: {
  message: string;
  universal: boolean;
  channel: PushChannel;
}): Message {
  const { message, universal, channel } = event;
  if (isNotification(message)) {
    return { kind: "notification", notification: readNotification(message) };
  }
  return readMessage(message, universal ? null : channel);
}

/** Whether a message asks for VoIP pushes to recipients with a VoIP subscription. */
export function wantsVoip(message: Message): boolean {
  switch (message.kind) {
    case "universal":
      return message.voip;
    case "notification":
      return message.notification.apple?.voip ?? false;
    case "platform":
      return false;
  }
}

/** Expiration time in Unix seconds; null without one. */
export function expirationOf(message: Message): number | null {
  switch (message.kind) {
    case "universal":
      return message.expiration;
    case "notification":
      return unixSeconds(message.notification.expiresAt);
    case "platform":
      return null;
  }
}

/**
 * Decodes Base64 to UTF-8 text. Accepts both alphabets of RFC 4648 (sections 4 and 5), missing padding and
 * line breaks. A space within a line is an unescaped plus from a form (application/x-www-form-urlencoded).
 * @throws Fault INVALID on `message`
 */
export function decodeText(base64: string): string {
  const digits = base64
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .join("")
    .replace(/[ -]/g, "+")
    .replace(/_/g, "/");
  const body = digits.replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(body) || body.length % 4 === 1) {
    throw Fault.field("message", "is not valid Base64");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body, "base64"));
  } catch {
    throw Fault.field("message", "is not UTF-8 after Base64 decoding");
  }
}
