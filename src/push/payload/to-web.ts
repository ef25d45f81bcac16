import type { WebPush } from "./push-payload";
import { secondsLeft } from "./time-to-live";
import type { UniversalMessage } from "./universal";

/**
 * Default and maximum TTL of a message in seconds (RFC 8030 section 5.2): four weeks, about the maximum of
 * the browsers' services.
 */
export const WEB_TTL_MAX = 2_419_200;

/**
 * Converts a universal message for browsers: JSON of the message and the custom keys.
 * @param now Unix milliseconds
 */
export function toWeb(message: UniversalMessage, now: number): WebPush {
  const { text, custom, expiration } = message;
  const payload = JSON.stringify({ message: text, ...custom });
  return { channel: "web", payload, ttl: secondsLeft(expiration, now, WEB_TTL_MAX) ?? WEB_TTL_MAX };
}
