import type { PushChannel } from "../channels/channel";
import type { Message } from "./message";
import { droppedApsKeys } from "./to-apns";

/** Keys of a message that a channel drops although they are meant for it, with reasons. */
export function droppedKeys(message: Message, channel: PushChannel): string[] {
  if (message.kind === "platform") return message.channel === "gcm" ? message.dropped : [];
  const withPrefix = (prefix: string) => message.dropped.filter((each) => each.startsWith(prefix));
  if (channel === "gcm") return withPrefix("android_");
  return channel === "web" ? [] : [...droppedApsKeys(message), ...withPrefix("ios_")];
}
