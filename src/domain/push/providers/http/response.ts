import { truncateText } from "../../../../core/text/text";
import { type HttpResponse, NoResponse } from "../../../../platform/network/http-response";
import type { Outcome } from "../port/provider";

/** Maximum length of a response body in characters; services send a few hundred. */
export const RESPONSE_MAX = 16_384;

/** The outcome of a push without a response. */
export function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof NoResponse)) {
    return { kind: "retry", reason: "could not be sent", delayMs: null };
  }
  if (error.kind === "refused") return { kind: "failed", reason: error.reason };
  return { kind: "retry", reason: error.reason, delayMs: null };
}

/** Whether a status is transient: a server error or rate limiting. */
export const isTransient = (status: number): boolean => status === 429 || status >= 500;

/** A header of a response; its first value if it is repeated. */
export function headerOf({ headers }: HttpResponse, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Maximum accepted delay: a day, in milliseconds. */
const DELAY_MAX = 86_400_000;

/**
 * The delay in milliseconds that a response requests by Retry-After, in seconds or as a date (RFC 9110
 * section 10.2.3), up to a day; null without one.
 * @param now milliseconds since the Unix epoch
 */
export function retryAfterOf(response: HttpResponse, now: number): number | null {
  const text = headerOf(response, "retry-after")?.trim() ?? "";
  const delay = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(delay) ? null : Math.min(Math.max(delay, 0), DELAY_MAX);
}

/** Maximum length of a reason in characters. */
const REASON_MAX = 200;
/** Minimum length of a run of characters that may be a token. */
const TOKEN_MIN = 40;

/**
 * Sanitizes a service's text for use as a reason: one printable line of bounded length, without URLs and
 * possible tokens that the service repeats.
 */
export function sanitizeReason(text: string): string {
  return truncateText(text, 4 * REASON_MAX)
    .split(/[^\x21-\x7e]+/)
    .map(redact)
    .join(" ")
    .trim()
    .slice(0, REASON_MAX);
}

/** Replaces a URL and runs that may be tokens by "…". */
function redact(word: string): string {
  const url = word.indexOf("://");
  if (url > 0) return `${word.slice(0, startOfScheme(word, url))}…`;
  return word
    .split(/([^\w.~+/=:%-])/)
    .map((run) => (run.length < TOKEN_MIN ? run : "…"))
    .join("");
}

/** Start of the word characters that end at a position. */
function startOfScheme(text: string, end: number): number {
  let start = end;
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Parses a response body as a JSON object; empty if it is not one. */
export function bodyOf({ body }: HttpResponse): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(body));
  } catch {
    return {};
  }
}

/** A JSON value as an object; empty if it is not one. */
export function objectOf(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}
