import { Fault } from "../../core/errors";

/**
 * The UTF-8 text that a Base64 text stands for: either alphabet of RFC 4648 (sections 4 and 5), with or
 * without padding, broken into lines or not. A space within a line is a plus that went through a form
 * (application/x-www-form-urlencoded) without being escaped.
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
    throw Fault.field("message", "is not Base64");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body, "base64"));
  } catch {
    throw Fault.field("message", "is not UTF-8 inside of its Base64");
  }
}
