import { Fault } from "../../core/errors";

/**
 * Decodes Base64 to UTF-8 text. Accepts both alphabets of RFC 4648 (sections 4 and 5), missing padding and
 * line breaks. A space within a line is an unescaped plus from a form (application/x-www-form-urlencoded).
 * @throws Fault INVALID on `message`
 */
export function decodeText(base64: string): string {
  const digits = base64
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .join("")
    .replace(/[ -]/g, "+")
    .replace(/_/g, "/");
  const body = digits.replace(/={1,2}$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(body) || body.length % 4 === 1) {
    throw Fault.field("message", "is not valid Base64");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body, "base64"));
  } catch {
    throw Fault.field("message", "is not UTF-8 after Base64 decoding");
  }
}
