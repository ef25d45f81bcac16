/**
 * The one table of errors. Every door renders from it: REST as a status, XMPP as a stanza error
 * (RFC 6120 section 8.3), GraphQL as `extensions.code`.
 */
export const ERRORS = {
  MALFORMED: { http: 400, condition: "bad-request", type: "modify" },
  UNAUTHENTICATED: { http: 401, condition: "not-authorized", type: "auth" },
  FORBIDDEN: { http: 403, condition: "forbidden", type: "auth" },
  NOT_FOUND: { http: 404, condition: "item-not-found", type: "cancel" },
  CONFLICT: { http: 409, condition: "conflict", type: "cancel" },
  FULL: { http: 409, condition: "resource-constraint", type: "wait" },
  TOO_LARGE: { http: 413, condition: "policy-violation", type: "modify" },
  INVALID: { http: 422, condition: "not-acceptable", type: "modify" },
  LIMITED: { http: 429, condition: "resource-constraint", type: "wait" },
  INTERNAL: { http: 500, condition: "internal-server-error", type: "cancel" },
  UNSUPPORTED: { http: 501, condition: "feature-not-implemented", type: "cancel" },
  UNAVAILABLE: { http: 503, condition: "remote-server-timeout", type: "wait" },
} as const;

/** A code of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS;

/** Messages by the name of the field they are about; `base` is the request as a whole. */
export type FieldErrors = Record<string, string[]>;

/** The text that clients of the API family match when a token is missing or no longer valid. */
export const NO_SESSION = "Required session does not exist";

/**
 * What code throws to refuse a request. Its text is shown to the caller, so it never holds a secret,
 * a token or a detail of the implementation; anything else that is thrown is masked as INTERNAL.
 */
export class Fault extends Error {
  override readonly name = "Fault";

  /**
   * @param code what went wrong, of the table
   * @param message for the caller; the first field message when left out
   * @param fields messages by GraphQL input field name (camelCase); doors rename them
   * @param retryAfter seconds until trying again makes sense, with LIMITED and UNAVAILABLE
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly fields?: FieldErrors,
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  /** INVALID about one field. */
  static field(field: string, message: string): Fault {
    return new Fault("INVALID", `${field} ${message}`, { [field]: [message] });
  }

  /** UNAUTHENTICATED for a missing, unknown, expired or destroyed token, in the one text. */
  static noSession(): Fault {
    return new Fault("UNAUTHENTICATED", NO_SESSION);
  }
}

/** The fault itself, or INTERNAL in its place, with a text that tells nothing. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault("INTERNAL", "Internal server error");
}
