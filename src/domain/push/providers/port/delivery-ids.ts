import { hash } from "node:crypto";

const digest = (deliveryId: number) =>
  hash("sha256", `signalbox push delivery ${deliveryId}`, "hex");

/**
 * The apns-id of a delivery: a deterministic UUID of version 8 (RFC 9562 section 5.8), so that repeated
 * attempts are recognizable.
 */
export function apnsIdOf(deliveryId: number): string {
  const hex = digest(deliveryId);
  // Two bits of the variant (binary 10), and two bits of the hash.
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
 * The Topic of a delivery (RFC 8030 section 5.4), 32 characters of base64url. A push service that still
 * stores the previous attempt replaces it.
 */
export function topicOf(deliveryId: number): string {
  return Buffer.from(digest(deliveryId), "hex").toString("base64url").slice(0, 32);
}
