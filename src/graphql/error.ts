import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { ERRORS, Fault, toFault } from "../core/errors";
import type { Log } from "../core/log";

/**
 * An error of an operation in the form every door reads: `originalError` is a Fault, `extensions` has
 * its code and, where there are any, the field errors and the seconds to wait. What is no Fault is
 * logged with the request id and masked.
 */
export function toGraphQLError(error: GraphQLError, log: Log, requestId: string): GraphQLError {
  const cause = error.originalError;
  const fault = clientsFault(error) ?? toFault(cause);
  if (fault.code === "INTERNAL")
    log.error({ err: cause ?? error, requestId, path: error.path }, "failed");
  return faultError(fault, error);
}

/** What a client sent that did not fit its type; undefined for any other error. */
function clientsFault(error: GraphQLError): Fault | undefined {
  const cause = error.originalError;
  if (cause instanceof Fault) return cause;
  // Without a path nothing has run: it is the word on a variable, graphql's or whatever a scalar throws.
  const graphqls = cause === undefined || cause instanceof GraphQLError;
  if (!error.path && (graphqls || OF_VARIABLE.test(error.message))) {
    return new Fault("INVALID", withoutValue(error.message, cause?.message));
  }
  // A variable may be null where its type allows it and that of the argument does not.
  const argument = cause instanceof GraphQLError && /^Argument "\w+"/.exec(cause.message)?.[0];
  return argument ? new Fault("INVALID", `${argument} does not fit its type`) : undefined;
}

/** What is told when an operation fails as a whole, or what a subscriber is subscribed to, by the same table. */
export function sourceError(error: unknown, log: Log, requestId: string): GraphQLError {
  const fault = toFault(error);
  if (fault !== error) log.error({ err: error, requestId }, "an operation failed");
  return faultError(fault);
}

const OF_VARIABLE = /^Variable "\$\w+" got invalid value/;
/** What graphql says of a value without repeating anything that was sent. */
const REASONS = [
  /^Field "\w+" of required type "[\w![\]]+" was not provided\.?$/,
  /^Field "\w+" is not defined by type "?\w+"?\.?$/,
  /^Expected (?:non-nullable )?type "[\w![\]]+"[^"{}[\]]*$/,
  /^Value does not exist in "\w+" enum\.?$/,
];
const SUGGESTION = " Did you mean ";

/**
 * The word of graphql on a variable without the value, which may be a password: the whole input is
 * printed for one field that is missing. Between the variable's name and the reason, which no value
 * is behind, the message holds the client's text: only its ends are looked at.
 * @param cause what graphql said of the value alone, where it was kept
 */
function withoutValue(message: string, cause: string | undefined): string {
  const start = OF_VARIABLE.exec(message)?.[0];
  if (start === undefined) return message;
  const known = cause !== undefined && message.endsWith(`; ${cause}`);
  const end = known ? message.length - cause.length - 2 : message.lastIndexOf("; ");
  if (end < start.length) return start;
  return `${start}${placeAtEnd(message.slice(start.length, end))}${reasonOf(message.slice(end + 2))}`;
}

/** ` at "input.user"`, where a text ends so. */
function placeAtEnd(text: string): string {
  const at = text.lastIndexOf(' at "');
  const place = at < 0 ? "" : text.slice(at);
  return /^ at "[\w.[\]]+"$/.test(place) ? place : "";
}

/** A reason behind its `; `, with what it suggests; nothing for one that may repeat what was sent. */
function reasonOf(text: string): string {
  const [reason = ""] = text.split(SUGGESTION, 1);
  if (!REASONS.some((known) => known.test(reason))) return "";
  const suggested = text.length > reason.length && text.endsWith("?") && !/[{}]/.test(text);
  return `; ${suggested ? text : reason}`;
}

/** A fault as an error of GraphQL, at the place of another error. */
export function faultError(fault: Fault, at?: GraphQLError): GraphQLError {
  return new GraphQLError(fault.message, {
    nodes: at?.nodes,
    source: at?.source,
    positions: at?.positions,
    path: at?.path,
    originalError: fault,
    extensions: {
      code: fault.code,
      ...(fault.fields ? { fields: fault.fields } : {}),
      ...(fault.retryAfter === undefined ? {} : { retryAfter: fault.retryAfter }),
    },
  });
}

/** What graphql says, and nothing else, where comparing the fields of a document took too long. */
const ABORTED = "Validation aborted.";

/** A mistake of a document: MALFORMED, or TOO_LARGE where a limit was exceeded. */
export function documentError(error: GraphQLError): GraphQLError {
  if (error.originalError instanceof Fault) return faultError(error.originalError, error);
  if (error.message === ABORTED) {
    return faultError(new Fault("TOO_LARGE", "Too many fields of the document overlap"));
  }
  return faultError(new Fault("MALFORMED", error.message), error);
}

/** A document that does not parse: MALFORMED, or TOO_LARGE for one of too many tokens. */
export function syntaxFault(message: string): Fault {
  const limit = /more tha[nt] (\d{1,9}) tokens/.exec(message)?.[1];
  return limit === undefined
    ? new Fault("MALFORMED", message)
    : new Fault("TOO_LARGE", `The document has more than ${limit} tokens`);
}

/** What Apollo Server itself refuses, with the table's codes in place of its own. */
export function formatForApollo(
  formatted: GraphQLFormattedError,
  thrown: unknown,
): GraphQLFormattedError {
  const code = formatted.extensions?.code;
  if (typeof code === "string" && code in ERRORS) return formatted;
  const original = thrown instanceof GraphQLError ? thrown.originalError : thrown;
  if (original instanceof Fault) return faultError(original).toJSON();
  if (code === "GRAPHQL_PARSE_FAILED" && thrown instanceof GraphQLError) {
    return faultError(syntaxFault(formatted.message), thrown).toJSON();
  }
  const ours = isOfApollo(code, thrown) ? "MALFORMED" : "INTERNAL";
  return {
    message: ours === "INTERNAL" ? "Internal server error" : formatted.message,
    ...(formatted.locations && ours !== "INTERNAL" ? { locations: formatted.locations } : {}),
    extensions: { code: ours },
  };
}

/** Whether Apollo Server refused a request: by a code of its own, or by an HTTP status alone. */
function isOfApollo(code: unknown, thrown: unknown): boolean {
  if (code !== undefined && code !== "INTERNAL_SERVER_ERROR") return true;
  if (!(thrown instanceof GraphQLError) || thrown.originalError) return false;
  const { status } = (thrown.extensions.http ?? {}) as { status?: number };
  return status !== undefined && status >= 400 && status < 500;
}
