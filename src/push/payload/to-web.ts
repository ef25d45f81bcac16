import type { WebPush } from "./push";
import { secondsLeft } from "./time-to-live";
import type { Universal } from "./universal";

/**
 * Seconds that a push service is asked to keep a message (RFC 8030 section 5.2), at most and where the
 * sender does not say: four weeks, about as long as browsers' services keep one.
 */
export const WEB_TTL_MAX = 2_419_200;

/**
 * A universal message for browsers: JSON of the message and the custom keys.
 * @param now Unix milliseconds
 */
export function toWeb(message: Universal, now: number): WebPush {
  const { text, custom, expiration } = message;
  const payload = JSON.stringify({ message: text, ...custom });
  return { channel: "web", payload, ttl: secondsLeft(expiration, now, WEB_TTL_MAX) ?? WEB_TTL_MAX };
}
