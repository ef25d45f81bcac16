import type { HttpResponse } from "../../../network/http-response";
import { bodyOf, isTransient, objectOf, retryAfterOf, sanitizeReason } from "../http/response";
import type { Outcome } from "../port/provider";

/** Google's recommended delay after a 429 without Retry-After. */
const QUOTA_DELAY_MS = 60_000;

interface FcmError {
  /** FCM's error code, or the google.rpc status without one. */
  code: string | null;
  message: string | null;
  /** Invalid fields of the request. */
  fields: string[];
}

const text = (value: unknown) => (typeof value === "string" ? value : null);
const list = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : []);

function errorOf(response: HttpResponse): FcmError {
  const error = objectOf(bodyOf(response).error);
  const details = list(error.details);
  const fcmCode = details.map(({ errorCode }) => text(errorCode)).find((code) => code !== null);
  return {
    code: fcmCode ?? text(error.status),
    message: text(error.message),
    fields: details
      .flatMap(({ fieldViolations }) => list(fieldViolations))
      .map(({ field }) => text(field) ?? ""),
  };
}

/** Firebase's error code and message, or the status without them. */
export function fcmReasonOf(response: HttpResponse): string {
  const { code, message } = errorOf(response);
  const details = [code, message].filter((each) => each !== null).join(": ");
  return sanitizeReason(details) || `status ${response.status}`;
}

/** Whether Firebase refused the access token, rather than the APNs key of an iOS app in Firebase. */
export function isTokenRefused(response: HttpResponse): boolean {
  return response.status === 401 && errorOf(response).code !== "THIRD_PARTY_AUTH_ERROR";
}

/**
 * Converts Firebase's response to an outcome (firebase.google.com "ErrorCode", and "Manage FCM registration
 * tokens"). A device is unregistered if Firebase returns UNREGISTERED or reports its token as the invalid field.
 * SENDER_ID_MISMATCH is a failure, because every device gets it if the credentials are for another project.
 * A 404 without a code is one too: it concerns the URL, not the device.
 * @param now milliseconds since the Unix epoch
 */
export function readFcmResponse(response: HttpResponse, now: number): Outcome {
  const { status } = response;
  if (status === 200) return { kind: "accepted", providerId: text(bodyOf(response).name) };
  const { code, fields } = errorOf(response);
  const reason = fcmReasonOf(response);
  const invalidToken = code === "INVALID_ARGUMENT" && fields.includes("message.token");
  if (code === "UNREGISTERED" || invalidToken) return { kind: "unregistered", reason };
  if (isTransient(status) || isTokenRefused(response)) {
    const delayMs = status === 429 ? QUOTA_DELAY_MS : null;
    return { kind: "retry", reason, delayMs: retryAfterOf(response, now) ?? delayMs };
  }
  return { kind: "failed", reason };
}
