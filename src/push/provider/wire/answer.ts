import { cutText } from "../../../core/text";
import { type Answer, Unanswered } from "../../../network/answer";
import type { Outcome } from "../provider";

/** Characters of an answer that are read at most; what the services say has some hundred. */
export const ANSWER_MAX = 16_384;

/** What becomes of a push that has no answer. */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof Unanswered)) {
    return { kind: "later", reason: "could not be sent", delayMs: null };
  }
  if (error.fault === "refused") return { kind: "refused", reason: error.reason };
  return { kind: "later", reason: error.reason, delayMs: null };
}

/** Whether a status says that the service is at fault, or that it was asked too often. */
export const isPassing = (status: number): boolean => status === 429 || status >= 500;

/** One header of an answer; the first, where it comes more than once. */
export function headerOf({ headers }: Answer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Longest delay that is believed: a day, in milliseconds. */
const DELAY_MAX = 86_400_000;

/**
 * Milliseconds that an answer asks to wait: its Retry-After, in seconds or as a date (RFC 9110
 * section 10.2.3); null without one, a day at most.
 * @param now milliseconds since the Unix epoch
 */
export function retryAfterOf(answer: Answer, now: number): number | null {
  const text = headerOf(answer, "retry-after")?.trim() ?? "";
  const delay = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(delay) ? null : Math.min(Math.max(delay, 0), DELAY_MAX);
}

/** Longest reason, in characters. */
const REASON_MAX = 200;
/** Characters of a token at least. */
const TOKEN_MIN = 40;

/**
 * A service's own words as a reason: one line, printable, of bounded length, and without what could
 * be a token or an address that it repeats.
 */
export function quoteReason(words: string): string {
  return cutText(words, 4 * REASON_MAX)
    .split(/[^\x21-\x7e]+/)
    .map(withoutSecret)
    .join(" ")
    .trim()
    .slice(0, REASON_MAX);
}

/** A word with "…" in place of a URL, and of what is as long as a token. */
function withoutSecret(word: string): string {
  const url = word.indexOf("://");
  if (url > 0) return `${word.slice(0, startOfName(word, url))}…`;
  return word
    .split(/([^\w.~+/=:%-])/)
    .map((run) => (run.length < TOKEN_MIN ? run : "…"))
    .join("");
}

/** Where the letters and digits begin that end here. */
function startOfName(text: string, end: number): number {
  let start = end;
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** The object in a body of JSON; empty where it is none. */
export function bodyOf({ body }: Answer): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(body));
  } catch {
    return {};
  }
}

/** A value of JSON as an object; empty where it is none. */
export function objectOf(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}
