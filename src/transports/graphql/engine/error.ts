import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { ERRORS, Fault, NO_SESSION, toFault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import { argumentProblem, isVariableError, withoutValue } from "./input-error";

/**
 * Normalizes an error of an operation for every protocol: `originalError` is a Fault, `extensions` has its
 * code and, if present, the field errors and `retryAfter` in seconds. Unexpected errors are logged with the
 * request id and masked.
 */
export function toGraphQLError(error: GraphQLError, log: Log, requestId: string): GraphQLError {
  const cause = error.originalError;
  const fault = inputFault(error) ?? toFault(cause);
  if (fault.code === "INTERNAL")
    log.error({ err: cause ?? error, requestId, path: error.path }, "failed");
  return faultError(fault, error);
}

/** The fault of input that does not match its type; undefined for any other error. */
function inputFault(error: GraphQLError): Fault | undefined {
  const cause = error.originalError;
  if (cause instanceof Fault) return cause;
  // An error without a path is about a variable; graphql or a scalar threw it.
  const isFromGraphql = cause === undefined || cause instanceof GraphQLError;
  if (!error.path && (isFromGraphql || isVariableError(error.message))) {
    return new Fault("INVALID", withoutValue(error.message, cause?.message));
  }
  // A nullable variable with a default may be null where the argument is non-null.
  const problem = cause instanceof GraphQLError ? argumentProblem(cause.message) : undefined;
  return problem === undefined ? undefined : new Fault("INVALID", problem);
}

/** The error of an operation that failed as a whole, or of a failed subscription source. */
export function operationError(error: unknown, log: Log, requestId: string): GraphQLError {
  const fault = toFault(error);
  if (fault !== error) log.error({ err: error, requestId }, "an operation failed");
  return faultError(fault);
}

/** {@link NO_SESSION}, and how a GraphQL client sends a token. REST has a WWW-Authenticate header for that. */
const NO_SESSION_IN_GRAPHQL = `${NO_SESSION}: send a valid token in the header Svc-Token, or as Authorization: Bearer TOKEN; on a WebSocket as "token", "Svc-Token" or "Authorization" in the payload of connection_init`;

/** Converts a fault to a GraphQL error. @param at error whose location and path it takes over */
export function faultError(fault: Fault, at?: GraphQLError): GraphQLError {
  const message = fault.message === NO_SESSION ? NO_SESSION_IN_GRAPHQL : fault.message;
  return new GraphQLError(message, {
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

/** graphql's only error if comparing the fields of a document takes too long. */
const ABORTED = "Validation aborted.";

/** Converts a validation error of a document: MALFORMED, or TOO_LARGE if a limit is exceeded. */
export function documentError(error: GraphQLError): GraphQLError {
  if (error.originalError instanceof Fault) return faultError(error.originalError, error);
  if (error.message === ABORTED) {
    return faultError(new Fault("TOO_LARGE", "Too many fields of the document overlap"));
  }
  return faultError(new Fault("MALFORMED", error.message), error);
}

/** The fault of a document that does not parse: MALFORMED, or TOO_LARGE if it has too many tokens. */
export function syntaxFault(message: string): Fault {
  const limit = /more tha[nt] (\d{1,9}) tokens/.exec(message)?.[1];
  return limit === undefined
    ? new Fault("MALFORMED", message)
    : new Fault("TOO_LARGE", `The document has more than ${limit} tokens`);
}

/** Message for a subscription over HTTP. */
export const SUBSCRIPTION_OVER_HTTP =
  "Subscriptions are only available over WebSocket (graphql-transport-ws)";
/** Message for a mutation by GET. */
export const MUTATION_BY_GET =
  "Mutations require POST, with the operation as JSON and Content-Type: application/json";

/** Messages in place of Apollo Server's own. */
const APOLLO_MESSAGES: Array<[own: RegExp, message: string]> = [
  [/^GET requests only support query operations, not mutation/, MUTATION_BY_GET],
  [/^GET requests only support query operations, not subscription/, SUBSCRIPTION_OVER_HTTP],
  [
    /\(CSRF\)/,
    "Refused as a possible cross-site request forgery (CSRF): send a token (Svc-Token, or Authorization: Bearer), " +
      "or the header Apollo-Require-Preflight: 1, or use POST with Content-Type: application/json",
  ],
];

/** Formats errors of Apollo Server itself with the codes of core/errors.ts. */
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
  const ownCode = isApolloRefusal(code, thrown) ? "MALFORMED" : "INTERNAL";
  const known = APOLLO_MESSAGES.find(([own]) => own.test(formatted.message));
  return {
    message: ownCode === "INTERNAL" ? "Internal server error" : (known?.[1] ?? formatted.message),
    ...(formatted.locations && ownCode !== "INTERNAL" ? { locations: formatted.locations } : {}),
    extensions: { code: ownCode },
  };
}

/** Whether Apollo Server refused the request, by its own error code or by an HTTP status. */
function isApolloRefusal(code: unknown, thrown: unknown): boolean {
  if (code !== undefined && code !== "INTERNAL_SERVER_ERROR") return true;
  if (!(thrown instanceof GraphQLError) || thrown.originalError) return false;
  const { status } = (thrown.extensions.http ?? {}) as { status?: number };
  return status !== undefined && status >= 400 && status < 500;
}
