import type { PushChannel } from "../channel";
import type { Message } from "./message";
import { apsLeftOut } from "./to-apns";

/** What of a message does not go out on a channel that it was written for, each with its reason. */
export function leftOut(message: Message, channel: PushChannel): string[] {
  if (message.kind === "platform") return message.channel === "gcm" ? message.leftOut : [];
  const inside = (prefix: string) => message.leftOut.filter((each) => each.startsWith(prefix));
  if (channel === "gcm") return inside("android_");
  return channel === "web" ? [] : [...apsLeftOut(message), ...inside("ios_")];
}
