import type { Answer } from "../../network/answer";
import type { Outcome } from "./provider";
import { bodyOf, headerOf, isPassing, quoteReason, retryAfterOf } from "./wire/answer";

/**
 * Reasons by which a device will not be reached again ("Handling notification responses from APNs"):
 * its token is none of this environment, or is over. DeviceTokenNotForTopic is not among them: it is
 * what every device answers while the bundle identifier of the credentials is mistyped.
 */
const GONE = new Set(["BadDeviceToken", "ExpiredToken", "Unregistered"]);

/** Reasons that pass, behind statuses that mostly mean never. */
const PASSING = new Set(["ExpiredProviderToken", "IdleTimeout"]);

/** Reason of a token that must be made anew. */
export const EXPIRED = "ExpiredProviderToken";

/** Reason of a device token that is none. */
export const BAD_TOKEN = "BadDeviceToken";

/** Apple's reason, one word; the status where there is none. */
export function apnsReasonOf(answer: Answer): string {
  const { reason } = bodyOf(answer);
  return typeof reason === "string" ? quoteReason(reason) : `status ${answer.status}`;
}

/**
 * What an answer of Apple's means for the delivery.
 * @param now milliseconds since the Unix epoch
 */
export function readApnsAnswer(answer: Answer, now: number): Outcome {
  const { status } = answer;
  if (status === 200) return { kind: "accepted", providerId: headerOf(answer, "apns-id") ?? null };
  const reason = apnsReasonOf(answer);
  if (status === 410 || GONE.has(reason)) return { kind: "gone", reason };
  if (isPassing(status) || PASSING.has(reason)) {
    return { kind: "later", reason, delayMs: retryAfterOf(answer, now) };
  }
  return { kind: "refused", reason };
}
