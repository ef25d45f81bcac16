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

/** What a code means to a client. */
export interface ErrorDescription {
  cause: string;
  remedy: string;
}

/** Cause and remedy of each code, for the schema (graphql/error-code.ts) and docs/ERRORS.md. */
export const ERROR_DESCRIPTIONS: Readonly<Record<ErrorCode, ErrorDescription>> = {
  MALFORMED: {
    cause: "The request cannot be read, or its GraphQL document does not fit the schema.",
    remedy: "Correct the request; the same request fails again.",
  },
  UNAUTHENTICATED: {
    cause:
      "The token is missing, unknown, expired or destroyed, or the credentials of a sign-in are wrong.",
    remedy: "Sign in again, and use the new token.",
  },
  FORBIDDEN: {
    cause:
      "The session, its user or the origin of the web page may not do this, or the conference is locked.",
    remedy:
      "Use a session of the required kind, or have the application's owner change the setting.",
  },
  NOT_FOUND: {
    cause: "The path or the object does not exist, or belongs to another application or user.",
    remedy: "Correct the path or the id.",
  },
  CONFLICT: {
    cause:
      "Another device of the user accepted the call or took the seat, or the conference is closed.",
    remedy: "Stop ringing, or show that the conference is over; do not retry.",
  },
  FULL: {
    cause:
      "The call would have more than four parties, the conference has no free seat, or two of its participants share a screen.",
    remedy: "Call fewer users, or try again when somebody has left or stopped sharing.",
  },
  TOO_LARGE: {
    cause: "The request, its GraphQL document or the signal exceeds a limit of size or nesting.",
    remedy: "Send less, or split the request.",
  },
  INVALID: {
    cause: "A variable, an argument or a field has a value that is not allowed.",
    remedy: "Correct the fields that the error names.",
  },
  LIMITED: {
    cause: "A limit on requests, failed sign-ins, connections or waiting signals is reached.",
    remedy: "Wait as long as the error says, or a second if it does not, then retry with back-off.",
  },
  INTERNAL: {
    cause: "The service failed; its log has the reason.",
    remedy:
      "Check whether a change took effect before you repeat it, and report the id of the request.",
  },
  UNSUPPORTED: {
    cause: "The operation is not available over this protocol or on this server.",
    remedy: "Use the protocol that the message names; do not retry.",
  },
  UNAVAILABLE: {
    cause: "The service, or something that it depends on, is overloaded or cannot be reached.",
    remedy: "Wait as long as the error says, or a second if it does not, then retry with back-off.",
  },
};

/** Messages by field name; `base` means the whole request. */
export type FieldErrors = Record<string, string[]>;

/** Message for a missing or invalid token. Legacy clients compare this text (docs/COMPATIBILITY.md). */
export const NO_SESSION = "Required session does not exist";

/**
 * The error to throw to reject a request. The client sees its message, so it must not contain secrets, tokens
 * or implementation details. Any other error is masked as INTERNAL.
 *
 * Messages name arguments, fields and enum values as GraphQL does (`fullName`, `startWith`). Where REST's own
 * text has the name of a parameter instead, the fault carries both, because legacy clients compare texts.
 */
export class Fault extends Error {
  override readonly name = "Fault";

  /**
   * @param code a key of {@link ERRORS}
   * @param message for the client
   * @param fields messages by GraphQL input field name (camelCase); each protocol maps the names to its own
   * @param retryAfter seconds after which the client may retry, for LIMITED and UNAVAILABLE
   * @param restFields messages for REST, by the same names; absent if `fields` apply
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly fields?: FieldErrors,
    readonly retryAfter?: number,
    readonly restFields?: FieldErrors,
  ) {
    super(message);
  }

  /** INVALID about one field. @param onRest the message for REST, if it differs */
  static field(field: string, message: string, onRest = message): Fault {
    const restFields = onRest === message ? undefined : { [field]: [onRest] };
    const text = `${field} ${message}`;
    return new Fault("INVALID", text, { [field]: [message] }, undefined, restFields);
  }

  /** About the request as a whole, INVALID by default. @param onRest the message for REST, if it differs */
  static base(message: string, onRest = message, code: ErrorCode = "INVALID"): Fault {
    const restFields = onRest === message ? undefined : { base: [onRest] };
    return new Fault(code, message, { base: [message] }, undefined, restFields);
  }

  /** The same fault with a prefix before the names of its fields, such as `signal.call.`. */
  within(prefix: string): Fault {
    if (!this.fields || prefix === "") return this;
    const within = (fields: FieldErrors): FieldErrors =>
      Object.fromEntries(
        Object.entries(fields).map(([name, texts]) => [`${prefix}${name}`, texts]),
      );
    return new Fault(
      this.code,
      `${prefix}${this.message}`,
      within(this.fields),
      this.retryAfter,
      this.restFields && within(this.restFields),
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
