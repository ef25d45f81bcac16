import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GraphQLError } from "graphql";
import { ERRORS, Fault, type FieldErrors, toFault } from "../core/errors";
import { snakeCase } from "./parameters";

const JSON_TYPE = "application/json; charset=utf-8";
const NOT_FOUND = new Fault("NOT_FOUND", "Not found");

/** The body of every error: messages by parameter name, or under `base` where they are of the whole. */
export interface ErrorBody {
  errors: FieldErrors;
}

/** The body for a fault whose fields have their names of the wire already. */
export function errorBody(fault: Fault): ErrorBody {
  return { errors: fault.fields ?? { base: [fault.message] } };
}

/** Answers with a fault whose fields have their names of the wire already; never anything internal. */
export function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  const shown = fault.code === "INTERNAL" ? toFault(undefined) : fault;
  if (shown.retryAfter !== undefined || shown.code === "LIMITED") {
    reply.header("retry-after", Math.max(1, Math.ceil(shown.retryAfter ?? 1)));
  }
  return reply
    .code(ERRORS[shown.code].http)
    .header("content-type", JSON_TYPE)
    .send(JSON.stringify(errorBody(shown)));
}

/** Answers 404 with `Not found`. */
export function sendNotFound(reply: FastifyReply): FastifyReply {
  return sendFault(reply, NOT_FOUND);
}

/**
 * Answers with whatever was thrown: a fault as it is, an error of the HTTP server by the table, and
 * anything else masked and logged with the request's id.
 */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault = error instanceof Fault ? error : serverFault(error);
  if (fault && fault.code !== "INTERNAL") return sendFault(reply, fault);
  request.log.error({ err: error, requestId: request.id }, "A request failed");
  return sendFault(reply, toFault(error));
}

/**
 * Answers with the errors of an operation. One that is no fault outweighs the others: then nothing is
 * known of what was done.
 * @param keys names of fields on the wire (RestDocument.errorKeys)
 */
export function sendErrors(
  errors: readonly unknown[],
  keys: ReadonlyMap<string, string>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const causes = errors.map(causeOf);
  const internal = causes.find((cause) => !(cause instanceof Fault) || cause.code === "INTERNAL");
  const cause = internal ?? causes[0];
  // The engine has logged what it masked.
  return cause instanceof Fault
    ? sendFault(reply, renamed(cause, keys))
    : sendError(cause, request, reply);
}

/** GraphQL wraps what a resolver threw, at times more than once. */
function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause;
}

/**
 * The fault with the names of the wire, `full_name` in place of `fullName` or `user.fullName`. What no
 * parameter is bound to by itself is an operator of a filter: `fullName.startWith` is `full_name`.
 */
export function renamed(fault: Fault, keys: ReadonlyMap<string, string>): Fault {
  if (!fault.fields) return fault;
  const fields: FieldErrors = Object.create(null);
  for (const [name, texts] of Object.entries(fault.fields)) {
    const last = name.slice(name.lastIndexOf(".") + 1);
    const [first = last] = name.split(".");
    const key = keys.get(name) ?? keys.get(last) ?? snakeCase(first);
    fields[key] = [...(fields[key] ?? []), ...texts];
  }
  return new Fault(fault.code, fault.message, fields, fault.retryAfter);
}

const TEXTS = new Map([
  ["FST_ERR_BAD_URL", "The address is not valid"],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", "The Content-Type is not valid"],
  ["FST_ERR_CTP_INVALID_CONTENT_LENGTH", "The body is not as long as its Content-Length"],
]);

/** Fastify's own refusals, and bodies that broke off, by the table; undefined for anything else. */
function serverFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  if (typeof code !== "string" || typeof statusCode !== "number") return undefined;
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return NOT_FOUND;
  const broken = code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE";
  if (!broken && !code.startsWith("FST_ERR_")) return undefined;
  if (statusCode === 413) return new Fault("TOO_LARGE", "The body is too large");
  if (statusCode === 404) return NOT_FOUND;
  if (statusCode < 400 || statusCode > 499) return undefined;
  return new Fault("MALFORMED", TEXTS.get(code) ?? "The request is not valid");
}

/**
 * Gives the server the error form of this interface for all that no other handler answers: unknown
 * paths, methods that a path does not have, and errors of Fastify. To be used with
 * {@link restServerOptions}, which cover what happens before a request is routed.
 */
export function registerRestErrors(server: FastifyInstance): void {
  server.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  server.setErrorHandler((error, request, reply) =>
    // A path that is unknown is so with a body that cannot be read as well.
    request.is404 && serverFault(error) ? sendNotFound(reply) : sendError(error, request, reply),
  );
}

/**
 * Options to make the Fastify server with: paths that do not decode and input that is no HTTP are
 * refused in the error form too, and a path parameter may be as long as 255 characters are when each
 * is percent-encoded.
 */
export const restServerOptions = {
  routerOptions: { maxParamLength: 255 * 12 },
  frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    sendError(error, request, reply);
  },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket): void => {
    // Nobody is left to be answered.
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const body = JSON.stringify(errorBody(new Fault("MALFORMED", "The request is not valid HTTP")));
    if (socket.writable) {
      socket.write(
        [
          "HTTP/1.1 400 Bad Request",
          `Content-Type: ${JSON_TYPE}`,
          `Content-Length: ${Buffer.byteLength(body)}`,
          "Connection: close",
          "",
          body,
        ].join("\r\n"),
      );
    }
    socket.destroy();
  },
};
