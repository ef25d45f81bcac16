import { hash } from "node:crypto";

const digest = (deliveryId: number) =>
  hash("sha256", `signalbox push delivery ${deliveryId}`, "hex");

/**
 * The apns-id of a delivery: a UUID of version 8 (RFC 9562 section 5.8) that is always the same for
 * it, so that a repetition is recognisable.
 */
export function apnsIdOf(deliveryId: number): string {
  const hex = digest(deliveryId);
  // The variant 10 in two bits, of which the third digit of the hash leaves the other two.
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/**
 * The Topic of a delivery (RFC 8030 section 5.4), 32 characters of base64url: a push service that
 * still holds the first attempt replaces it by the second.
 */
export function topicOf(deliveryId: number): string {
  return Buffer.from(digest(deliveryId), "hex").toString("base64url").slice(0, 32);
}
