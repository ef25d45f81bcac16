import type { PushChannel } from "../channels/channel";
import { FCM_TTL_MAX, toData } from "./fcm-message";
import { omitUndefined, unlessEmpty } from "./json";
import type { Message, PlatformMessage } from "./message";
import { toUniversal } from "./notification";
import type { FcmPush, PushPayload, WebPush } from "./push-payload";
import { droppedApsKeys, passThroughApns, toApns } from "./to-apns";
import type { UniversalMessage } from "./universal";

/**
 * Default and maximum TTL of a message in seconds (RFC 8030 section 5.2): four weeks, about the maximum of
 * the browsers' services.
 */
const WEB_TTL_MAX = 2_419_200;

/**
 * Converts a message for a channel (docs/PUSH.md "Payloads"). Does not fail for a parsed message. size.ts
 * checks the size.
 * @param channel for a platform-specific message, the channel that it was parsed for
 * @param now Unix milliseconds, from which TTLs are counted
 */
export function translate(message: Message, channel: PushChannel, now: number): PushPayload {
  if (message.kind === "platform") {
    if (message.channel === channel) return passThrough(message);
    throw new Error(`A message for ${message.channel} cannot be sent on ${channel}`);
  }
  if (message.kind === "notification") {
    return translate(toUniversal(message.notification, channel), channel, now);
  }
  switch (channel) {
    case "apns":
    case "apns_voip":
      return toApns(message, channel);
    case "gcm":
      return toFcm(message, now);
    case "web":
      return toWeb(message, now);
  }
}

/** Keys of a message that a channel drops although they are meant for it, with reasons. */
export function droppedKeys(message: Message, channel: PushChannel): string[] {
  if (message.kind === "platform") return message.channel === "gcm" ? message.dropped : [];
  if (message.kind === "notification") return toUniversal(message.notification, channel).dropped;
  const withPrefix = (prefix: string) => message.dropped.filter((each) => each.startsWith(prefix));
  switch (channel) {
    case "apns":
    case "apns_voip":
      return [...droppedApsKeys(message), ...withPrefix("ios_")];
    case "gcm":
      return withPrefix("android_");
    case "web":
      return [];
  }
}

function passThrough(message: PlatformMessage): PushPayload {
  switch (message.channel) {
    case "apns":
    case "apns_voip":
      return passThroughApns(message.content, message.channel);
    case "gcm":
      return { channel: "gcm", message: message.content };
    case "web":
      return { channel: "web", payload: JSON.stringify(message.content), ttl: WEB_TTL_MAX };
  }
}

/**
 * Converts a universal message for Android. A message to display, even one that the app displays from its
 * data, or a call gets high priority; others keep Firebase's default, which saves power.
 * @param now Unix milliseconds
 */
function toFcm(message: UniversalMessage, now: number): FcmPush {
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

/**
 * Converts a universal message for browsers: JSON of the message and the custom keys.
 * @param now Unix milliseconds
 */
function toWeb(message: UniversalMessage, now: number): WebPush {
  const { text, custom, expiration } = message;
  const payload = JSON.stringify({ message: text, ...custom });
  return { channel: "web", payload, ttl: secondsLeft(expiration, now, WEB_TTL_MAX) ?? WEB_TTL_MAX };
}

/**
 * Seconds until an expiration, limited to 0 to `max`; undefined without an expiration.
 * @param expiration Unix seconds
 * @param now Unix milliseconds
 */
function secondsLeft(expiration: number | null, now: number, max: number): number | undefined {
  if (expiration === null) return undefined;
  return Math.min(Math.max(Math.floor(expiration - now / 1000), 0), max);
}
