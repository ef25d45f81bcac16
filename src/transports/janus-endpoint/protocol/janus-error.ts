import { type ErrorCode, type Fault, toFault } from "../../../core/errors";

/**
 * Error codes of the Janus API (apierror.h) and, from 421 to 437 and 499, of its VideoRoom plugin, as far as this
 * endpoint sends them, each with the code of core/errors.ts that metrics count it as.
 */
const CODES = {
  403: "FORBIDDEN",
  421: "MALFORMED",
  424: "CONFLICT",
  425: "CONFLICT",
  426: "NOT_FOUND",
  428: "NOT_FOUND",
  429: "MALFORMED",
  430: "INVALID",
  431: "INVALID",
  432: "FULL",
  433: "FORBIDDEN",
  435: "CONFLICT",
  436: "CONFLICT",
  454: "MALFORMED",
  455: "MALFORMED",
  456: "MALFORMED",
  457: "MALFORMED",
  458: "NOT_FOUND",
  459: "NOT_FOUND",
  460: "NOT_FOUND",
  461: "LIMITED",
  464: "INVALID",
  465: "INVALID",
  467: "MALFORMED",
  469: "CONFLICT",
  472: "UNAVAILABLE",
  490: "LIMITED",
  499: "UNAVAILABLE",
} as const satisfies Record<number, ErrorCode>;

/** A code of {@link CODES}. */
export type JanusCode = keyof typeof CODES;

/** An error that a client gets as `{"janus":"error","error":{"code","reason"}}`. */
export class JanusError extends Error {
  override readonly name = "JanusError";

  constructor(
    readonly code: JanusCode,
    readonly reason: string,
    /** What metrics count it as. */
    readonly counted: ErrorCode = CODES[code],
  ) {
    super(reason);
  }
}

/** What the codes NOT_FOUND and FULL of a fault mean where it was thrown. */
export interface FaultMeaning {
  /** The error for NOT_FOUND; by default the participant is not in the conference (any more). */
  notFound?: JanusError;
  /** Number of seats, which the error for FULL names. */
  seats?: number;
}

/** The error of a request about a conference that failed. Internal errors are masked; the caller logs them. */
export function toJanusError(error: unknown, meaning: FaultMeaning = {}): JanusError {
  if (error instanceof JanusError) return error;
  const fault = toFault(error);
  const make = (code: JanusCode, reason = fault.message) =>
    new JanusError(code, reason, fault.code);
  switch (fault.code) {
    case "NOT_FOUND":
      return meaning.notFound ?? make(424, "Not in the room");
    case "FULL":
      return make(432, fullReason(fault, meaning.seats));
    case "FORBIDDEN":
    case "CONFLICT":
      return make(433);
    case "UNAUTHENTICATED":
      return make(403);
    case "LIMITED":
      return make(490);
    case "INVALID":
    case "MALFORMED":
    case "TOO_LARGE":
      return fault.fields && "sdp" in fault.fields
        ? make(465, `Invalid SDP: ${fault.message}`)
        : make(430);
    default:
      return make(499);
  }
}

/** Legacy clients show this text, so it is that of Janus. */
function fullReason(fault: Fault, seats: number | undefined): string {
  return seats === undefined
    ? fault.message
    : `Maximum number of publishers (${seats}) already reached`;
}
