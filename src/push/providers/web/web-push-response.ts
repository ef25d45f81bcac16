import type { HttpResponse } from "../../../network/http-response";
import { headerOf, isTransient, retryAfterOf, sanitizeReason } from "../http/response";
import type { Outcome } from "../port/provider";

/** Maximum length of a message URL that is stored as its id; the server is not trusted. */
const LOCATION_MAX = 1000;

/**
 * Converts the response of a browser's push service to an outcome (RFC 8030 sections 5 and 7.3, RFC 8292
 * section 4.2).
 * @param now milliseconds since the Unix epoch
 */
export function readWebPushResponse(response: HttpResponse, now: number): Outcome {
  const { status, body } = response;
  if (status >= 200 && status < 300) {
    const location = headerOf(response, "location") ?? "";
    const valid = location !== "" && location.length <= LOCATION_MAX;
    return { kind: "accepted", providerId: valid ? location : null };
  }
  const details = sanitizeReason(body);
  const reason = details === "" ? `status ${status}` : `status ${status}: ${details}`;
  if (status === 404 || status === 410) return { kind: "unregistered", reason };
  if (isTransient(status)) return { kind: "retry", reason, delayMs: retryAfterOf(response, now) };
  if (status >= 300 && status < 400) {
    return { kind: "failed", reason: `status ${status}: a redirect, which is not followed` };
  }
  return { kind: "failed", reason };
}
