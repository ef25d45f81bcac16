/**
 * The validation rule for all incoming text, in every protocol and field. PostgreSQL cannot store NUL,
 * UTF-8 cannot encode a lone surrogate, and XML and JSON parsers disagree about U+FFFE and U+FFFF.
 */

/** Message for invalid text, to follow a field name. */
export const INVALID_TEXT_MESSAGE =
  "contains a character that text must not contain: NUL, a lone surrogate, U+FFFE or U+FFFF";

/** Whether a string has no NUL, no lone surrogate and neither U+FFFE nor U+FFFF. Linear time. */
export function isValidText(value: string): boolean {
  return (
    value.isWellFormed() &&
    !value.includes("\0") &&
    !value.includes("\uFFFE") &&
    !value.includes("\uFFFF")
  );
}

/** Whether every string of a JSON value, keys included, is valid text. Iterative, so any depth is safe. */
export function isValidTextDeep(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      if (!isValidText(next)) return false;
    } else if (Array.isArray(next)) {
      for (const item of next) waiting.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        if (!isValidText(key)) return false;
        waiting.push(item);
      }
    }
  }
  return true;
}

/** Replaces each invalid character of a third party's text by U+FFFD, the replacement character. */
export function toValidText(value: string): string {
  return isValidText(value) ? value : value.toWellFormed().replace(/[\0\uFFFE\uFFFF]/g, "\uFFFD");
}

/** The first `max` characters of a text. A surrogate pair counts as one character and is never split. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/**
 * A copy of a valid text. V8 makes a part of a text a reference to the whole, so a sessionID that waits to be recorded
 * would keep the frame that it came in.
 */
export function detachText(text: string): string {
  return Buffer.from(text).toString();
}
