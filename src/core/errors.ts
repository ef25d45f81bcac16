/**
 * All error codes, and how each protocol renders them: REST as a status, XMPP as a stanza error
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

/** Messages by field name; `base` means the whole request. */
export type FieldErrors = Record<string, string[]>;

/** Message for a missing or invalid token. Legacy clients compare this text (docs/COMPATIBILITY.md). */
export const NO_SESSION = "Required session does not exist";

/**
 * The error to throw to reject a request. The client sees its message, so it must not contain secrets, tokens
 * or implementation details. Any other error is masked as INTERNAL.
 */
export class Fault extends Error {
  override readonly name = "Fault";

  /**
   * @param code a key of {@link ERRORS}
   * @param message for the client
   * @param fields messages by GraphQL input field name (camelCase); each protocol maps the names to its own
   * @param retryAfter seconds after which the client may retry, for LIMITED and UNAVAILABLE
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

  /** The same fault with a prefix before the names of its fields, such as `signal.call.`. */
  within(prefix: string): Fault {
    if (!this.fields || prefix === "") return this;
    const fields = Object.entries(this.fields).map(([name, texts]) => [`${prefix}${name}`, texts]);
    return new Fault(
      this.code,
      `${prefix}${this.message}`,
      Object.fromEntries(fields),
      this.retryAfter,
    );
  }

  /** UNAUTHENTICATED for a missing, unknown, expired or destroyed token, always with the same message. */
  static noSession(): Fault {
    return new Fault("UNAUTHENTICATED", NO_SESSION);
  }
}

/** Returns a Fault unchanged, and a generic INTERNAL fault for any other error. */
export function toFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault("INTERNAL", "Internal server error");
}
