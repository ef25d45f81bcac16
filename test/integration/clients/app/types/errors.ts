import { ErrorCode } from "../gql/enums";

/** Codes of errors. */

/** Compiles only if it has a case for every code. */
export function remedy(code: ErrorCode): string {
  switch (code) {
    case ErrorCode.Limited:
    case ErrorCode.Unavailable:
      return "wait and retry";
    case ErrorCode.Unauthenticated:
      return "sign in again";
    case ErrorCode.Conflict:
      return "stop ringing";
    case ErrorCode.Full:
      return "call fewer users";
    case ErrorCode.TooLarge:
      return "send less";
    case "FORBIDDEN":
    case "NOT_FOUND":
    case "MALFORMED":
    case "INVALID":
    case "UNSUPPORTED":
      return "correct the request";
    case "INTERNAL":
      return "report it";
  }
}

// @ts-expect-error Function lacks ending return statement
export function incomplete(code: ErrorCode): string {
  switch (code) {
    case ErrorCode.Limited:
      return "wait and retry";
  }
}

export function unknownCodes(code: ErrorCode): void {
  // @ts-expect-error '"TIMEOUT"' is not assignable to type 'ErrorCode'
  const text: ErrorCode = "TIMEOUT";
  // @ts-expect-error Property 'Timeout' does not exist
  ErrorCode.Timeout;
  // @ts-expect-error have no overlap
  if (code === "TIMEOUT") return;
  void text;
}
