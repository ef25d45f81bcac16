import { Fault } from "../../../core/errors";
import type { PushChannel } from "../channels/channel";
import type { PushPayload } from "./push-payload";

/** Maximum length of a message as it is stored, in characters, for all platforms together. */
export const MESSAGE_MAX = 16_384;

/** @throws Fault INVALID on `message` if it is longer than {@link MESSAGE_MAX} */
export function checkMessageLength(stored: string): void {
  if (stored.length <= MESSAGE_MAX) return;
  const max = MESSAGE_MAX.toLocaleString("en-US");
  throw Fault.field("message", `is too long (maximum is ${max} characters)`);
}

/**
 * Maximum payload size in bytes: developer.apple.com "Generating a remote notification" (apns, apns_voip),
 * firebase.google.com "About FCM messages" (gcm), and the plaintext that fits the 4,096 bytes which every
 * browser push service accepts (RFC 8030 section 7.2, RFC 8291 section 4).
 */
const BYTES_MAX: Readonly<Record<PushChannel, number>> = {
  apns: 4_096,
  apns_voip: 5_120,
  gcm: 4_096,
  web: 3_993,
};

/** The text that counts towards the size: for Firebase data and notification, also below `android`. */
function counted(push: PushPayload): string {
  switch (push.channel) {
    case "apns":
    case "apns_voip":
    case "web":
      return push.payload;
    case "gcm": {
      const { data, notification, android } = push.message;
      const parts = [data, notification, android?.data, android?.notification];
      return parts.map((part) => (part === undefined ? "" : JSON.stringify(part))).join("");
    }
  }
}

/** The size of a push as its platform counts it, and the platform's limit, in bytes of UTF-8. */
export function sizeOf(push: PushPayload): { bytes: number; max: number } {
  return { bytes: Buffer.byteLength(counted(push)), max: BYTES_MAX[push.channel] };
}

/** Why a push is too large, as "is too large: 4,321 bytes (maximum is 4,096 bytes)"; null if it fits. */
export function sizeProblem(push: PushPayload): string | null {
  const { bytes, max } = sizeOf(push);
  if (bytes <= max) return null;
  const [size, limit] = [bytes, max].map((count) => count.toLocaleString("en-US"));
  return `is too large: ${size} bytes (maximum is ${limit} bytes)`;
}
