import { SignalboxError } from "../errors.ts";

/** Code of a connection that this side has closed, because nothing uses it. */
export const NORMAL = 1000;
/** Code when the session has ended (docs/SIGNALING-REFERENCE.md, Close codes). */
export const UNAUTHORIZED = 4401;
/** Code when the application does not allow the page's origin. */
const FORBIDDEN = 4403;
/** Codes of a violated protocol, which no retry can mend. */
const PROTOCOL_ERRORS = [4400, 4406, 4409, 4429];

/** The reason why no further connection can succeed after a close code; null if one may. */
export function finalReason(code: number | undefined): SignalboxError | null {
  if (code === FORBIDDEN) {
    return new SignalboxError(
      "FORBIDDEN",
      "The application does not allow the origin of this page",
    );
  }
  if (code !== undefined && PROTOCOL_ERRORS.includes(code)) {
    return new SignalboxError("MALFORMED", `The service closed the WebSocket (${code})`);
  }
  return null;
}
