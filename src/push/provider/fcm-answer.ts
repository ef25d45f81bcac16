import type { Answer } from "../../network/answer";
import type { Outcome } from "./provider";
import { bodyOf, isPassing, objectOf, quoteReason, retryAfterOf } from "./wire/answer";

/** What Google asks to wait after a 429 that does not say how long. */
const QUOTA_DELAY_MS = 60_000;

interface FcmError {
  /** FCM's own code, or else the status of google.rpc. */
  code: string | null;
  message: string | null;
  /** Fields that the request was refused for. */
  fields: string[];
}

const text = (value: unknown) => (typeof value === "string" ? value : null);
const list = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : []);

function errorOf(answer: Answer): FcmError {
  const error = objectOf(bodyOf(answer).error);
  const details = list(error.details);
  const own = details.map(({ errorCode }) => text(errorCode)).find((code) => code !== null);
  return {
    code: own ?? text(error.status),
    message: text(error.message),
    fields: details
      .flatMap(({ fieldViolations }) => list(fieldViolations))
      .map(({ field }) => text(field) ?? ""),
  };
}

/** The service's code and words; the status where there are none. */
export function fcmReasonOf(answer: Answer): string {
  const { code, message } = errorOf(answer);
  const words = [code, message].filter((each) => each !== null).join(": ");
  return quoteReason(words) || `status ${answer.status}`;
}

/** Whether it is the access token that was refused, and not the key of an app for Apple's service. */
export function isTokenRefused(answer: Answer): boolean {
  return answer.status === 401 && errorOf(answer).code !== "THIRD_PARTY_AUTH_ERROR";
}

/**
 * What an answer of Firebase means for the delivery (firebase.google.com "ErrorCode", and "Manage FCM
 * registration tokens"). A device is gone where Firebase says UNREGISTERED, or names its token as the
 * invalid field. SENDER_ID_MISMATCH is refused: it is what every device answers while the credentials
 * are another project's. So is a 404 without a code, which speaks of an address.
 * @param now milliseconds since the Unix epoch
 */
export function readFcmAnswer(answer: Answer, now: number): Outcome {
  const { status } = answer;
  if (status === 200) return { kind: "accepted", providerId: text(bodyOf(answer).name) };
  const { code, fields } = errorOf(answer);
  const reason = fcmReasonOf(answer);
  const invalidToken = code === "INVALID_ARGUMENT" && fields.includes("message.token");
  if (code === "UNREGISTERED" || invalidToken) return { kind: "gone", reason };
  if (isPassing(status) || isTokenRefused(answer)) {
    const wait = status === 429 ? QUOTA_DELAY_MS : null;
    return { kind: "later", reason, delayMs: retryAfterOf(answer, now) ?? wait };
  }
  return { kind: "refused", reason };
}
