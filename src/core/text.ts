/**
 * The one rule for text that enters, whatever the protocol or the field. PostgreSQL stores no NUL, UTF-8
 * encodes no lone surrogate, and XML and JSON parsers disagree about the noncharacters U+FFFE and U+FFFF.
 */

/** Why a text is refused, in words that follow the name of its field. */
export const NOT_TEXT =
  "contains a character that text must not contain: NUL, a lone surrogate, U+FFFE or U+FFFF";

/** Whether a string is text: no NUL, no lone surrogate, neither U+FFFE nor U+FFFF. Linear in its length. */
export function isText(value: string): boolean {
  return (
    value.isWellFormed() &&
    !value.includes("\0") &&
    !value.includes("\uFFFE") &&
    !value.includes("\uFFFF")
  );
}

/** Whether every string of a JSON value is text, keys included. No nesting is too deep for it. */
export function isTextThroughout(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      if (!isText(next)) return false;
    } else if (Array.isArray(next)) {
      for (const item of next) waiting.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        if (!isText(key)) return false;
        waiting.push(item);
      }
    }
  }
  return true;
}

/** Somebody else's words as text: what {@link isText} refuses becomes U+FFFD, the replacement character. */
export function toText(value: string): string {
  return isText(value) ? value : value.toWellFormed().replace(/[\0\uFFFE\uFFFF]/g, "\uFFFD");
}

/** The first `max` characters of a text. A surrogate pair is one character and is never split. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
