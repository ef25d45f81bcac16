import type { PushChannel } from "../channel";
import type { Message } from "./message";
import { apsLeftOut } from "./to-apns";

/** Keys of a message that a channel drops although they are meant for it, with reasons. */
export function leftOut(message: Message, channel: PushChannel): string[] {
  if (message.kind === "platform") return message.channel === "gcm" ? message.leftOut : [];
  const withPrefix = (prefix: string) => message.leftOut.filter((each) => each.startsWith(prefix));
  if (channel === "gcm") return withPrefix("android_");
  return channel === "web" ? [] : [...apsLeftOut(message), ...withPrefix("ios_")];
}
