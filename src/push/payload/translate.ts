import type { PushChannel } from "../channels/channel";
import type { Message, PlatformMessage } from "./message";
import type { PushPayload } from "./push-payload";
import { passThroughApns, toApns } from "./to-apns";
import { toFcm } from "./to-fcm";
import { toWeb, WEB_TTL_MAX } from "./to-web";

function passThrough(message: PlatformMessage): PushPayload {
  if (message.channel === "gcm") return { channel: "gcm", message: message.content };
  const { channel, content } = message;
  if (channel === "web") return { channel, payload: JSON.stringify(content), ttl: WEB_TTL_MAX };
  return passThroughApns(content, channel);
}

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
  if (channel === "gcm") return toFcm(message, now);
  if (channel === "web") return toWeb(message, now);
  return toApns(message, channel);
}
