import type { Answer } from "../../network/answer";
import type { Outcome } from "./provider";
import { headerOf, isPassing, quoteReason, retryAfterOf } from "./wire/answer";

/** Longest address of a message that is kept as its id; any host may answer. */
const LOCATION_MAX = 1000;

/**
 * What the answer of a browser's push service means for the delivery (RFC 8030 sections 5 and 7.3,
 * RFC 8292 section 4.2).
 * @param now milliseconds since the Unix epoch
 */
export function readWebPushAnswer(answer: Answer, now: number): Outcome {
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    const location = headerOf(answer, "location") ?? "";
    const named = location !== "" && location.length <= LOCATION_MAX;
    return { kind: "accepted", providerId: named ? location : null };
  }
  const words = quoteReason(body);
  const reason = words === "" ? `status ${status}` : `status ${status}: ${words}`;
  if (status === 404 || status === 410) return { kind: "gone", reason };
  if (isPassing(status)) return { kind: "later", reason, delayMs: retryAfterOf(answer, now) };
  if (status >= 300 && status < 400) {
    return { kind: "refused", reason: `status ${status}: a redirect, which is not followed` };
  }
  return { kind: "refused", reason };
}
