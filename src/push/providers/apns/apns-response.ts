import type { HttpResponse } from "../../../network/http-response";
import { bodyOf, headerOf, isTransient, retryAfterOf, sanitizeReason } from "../http/response";
import type { Outcome } from "../port/provider";

/**
 * Reasons that mean the device is no longer registered ("Handling notification responses from APNs"): its
 * token is for another environment or has expired. DeviceTokenNotForTopic is not one of them: every device
 * would get it if the bundle identifier of the credentials has a typo.
 */
const UNREGISTERED = new Set(["BadDeviceToken", "ExpiredToken", "Unregistered"]);

/** Reasons of transient errors with a status that otherwise means a permanent one. */
const TRANSIENT = new Set(["ExpiredProviderToken", "IdleTimeout"]);

/** Reason for a provider token that must be renewed. */
export const EXPIRED_PROVIDER_TOKEN = "ExpiredProviderToken";

/** Reason for an invalid device token. */
export const BAD_DEVICE_TOKEN = "BadDeviceToken";

/** Apple's reason, a single word, or the status without one. */
export function apnsReasonOf(response: HttpResponse): string {
  const { reason } = bodyOf(response);
  return typeof reason === "string" ? sanitizeReason(reason) : `status ${response.status}`;
}

/**
 * Converts Apple's response to an outcome.
 * @param now milliseconds since the Unix epoch
 */
export function readApnsResponse(response: HttpResponse, now: number): Outcome {
  const { status } = response;
  if (status === 200) {
    return { kind: "accepted", providerId: headerOf(response, "apns-id") ?? null };
  }
  const reason = apnsReasonOf(response);
  if (status === 410 || UNREGISTERED.has(reason)) return { kind: "unregistered", reason };
  if (isTransient(status) || TRANSIENT.has(reason)) {
    return { kind: "retry", reason, delayMs: retryAfterOf(response, now) };
  }
  return { kind: "failed", reason };
}
