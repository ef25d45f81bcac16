import type { PushChannel } from "../channel";
import type { Message, PlatformMessage } from "./message";
import type { Push } from "./push";
import { toApns, wholeApns } from "./to-apns";
import { toFcm } from "./to-fcm";
import { toWeb, WEB_TTL_MAX } from "./to-web";

function passWhole(message: PlatformMessage): Push {
  if (message.channel === "gcm") return { channel: "gcm", message: message.content };
  const { channel, content } = message;
  if (channel === "web") return { channel, payload: JSON.stringify(content), ttl: WEB_TTL_MAX };
  return wholeApns(content, channel);
}

/**
 * What a message is on a channel (docs/PUSH.md "Payloads"). It cannot fail for a message that was read,
 * and does not look at the size: see size.ts.
 * @param channel of a platform's own message only the one that it was read for
 * @param now Unix milliseconds; times to live are counted from it
 */
export function translate(message: Message, channel: PushChannel, now: number): Push {
  if (message.kind === "platform") {
    if (message.channel === channel) return passWhole(message);
    throw new Error(`A message for ${message.channel} cannot go out on ${channel}`);
  }
  if (channel === "gcm") return toFcm(message, now);
  if (channel === "web") return toWeb(message, now);
  return toApns(message, channel);
}
