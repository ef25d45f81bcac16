import type { Push } from "./push";

/**
 * Bytes of a payload at most: developer.apple.com "Generating a remote notification" (apns, apns_voip),
 * firebase.google.com "About FCM messages" (gcm), and what is left for the plaintext of the 4,096 bytes
 * that every browser's push service takes (RFC 8030 section 7.2, RFC 8291 section 4).
 */
const BYTES_MAX: Readonly<Record<Push["channel"], number>> = {
  apns: 4_096,
  apns_voip: 5_120,
  gcm: 4_096,
  web: 3_993,
};

/** The text that counts: of Firebase's message the data and the notification, wherever they stand. */
function counted(push: Push): string {
  if (push.channel !== "gcm") return push.payload;
  const { data, notification, android } = push.message;
  const parts = [data, notification, android?.data, android?.notification];
  return parts.map((part) => (part === undefined ? "" : JSON.stringify(part))).join("");
}

/** The size of a push by its platform's rule, and the limit, in bytes of UTF-8. */
export function sizeOf(push: Push): { bytes: number; max: number } {
  return { bytes: Buffer.byteLength(counted(push)), max: BYTES_MAX[push.channel] };
}

/** Why the platform would refuse a push for its size, or null: "is 4,321 bytes, and 4,096 are the most". */
export function sizeProblem(push: Push): string | null {
  const { bytes, max } = sizeOf(push);
  if (bytes <= max) return null;
  return `is ${bytes.toLocaleString("en-US")} bytes, and ${max.toLocaleString("en-US")} are the most`;
}
