import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GraphQLError } from "graphql";
import { ERRORS, Fault, type FieldErrors, NO_SESSION, toFault } from "../../core/errors";
import { tokenOf } from "../http/request-caller";
import { snakeCase } from "./parameters";

const JSON_TYPE = "application/json; charset=utf-8";
/** The challenge to a request without a valid token (RFC 6750 section 3). */
const CHALLENGE = 'Bearer realm="Signalbox: token in Svc-Token, or in Authorization: Bearer"';
const NOT_FOUND = new Fault("NOT_FOUND", "Not found");

/** Body of every error response: messages by parameter name, or under `base` for the request as a whole. */
export interface ErrorBody {
  errors: FieldErrors;
}

/** The body for a fault whose fields already have wire names. */
export function errorBody(fault: Fault): ErrorBody {
  return { errors: fault.restFields ?? fault.fields ?? { base: [fault.message] } };
}

/** Sends a fault whose fields already have wire names. Internal faults are masked. */
export function sendFault(reply: FastifyReply, fault: Fault): FastifyReply {
  const shown = fault.code === "INTERNAL" ? toFault(undefined) : fault;
  if (shown.retryAfter !== undefined || shown.code === "LIMITED") {
    reply.header("retry-after", Math.max(1, Math.ceil(shown.retryAfter ?? 1)));
  }
  if (shown.message === NO_SESSION) {
    const hasToken = tokenOf(reply.request.headers) !== undefined;
    reply.header("www-authenticate", hasToken ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE);
  }
  return reply
    .code(ERRORS[shown.code].http)
    .header("content-type", JSON_TYPE)
    .send(JSON.stringify(errorBody(shown)));
}

/** Sends 404 `Not found`. */
export function sendNotFound(reply: FastifyReply): FastifyReply {
  return sendFault(reply, NOT_FOUND);
}

/**
 * Sends a thrown error: a fault as it is, an error of the HTTP server converted to a fault. Anything else is
 * logged with the request id and masked.
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
 * Sends the errors of an operation. An internal error takes precedence, because the outcome is then unknown.
 * @param keys wire names of fields (RestDocument.errorKeys)
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
  // The engine has already logged masked errors.
  return cause instanceof Fault
    ? sendFault(reply, toWireNames(cause, keys))
    : sendError(cause, request, reply);
}

/** Unwraps the error of a resolver; graphql may wrap it several times. */
function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause;
}

/**
 * Converts the fields of a fault's messages for REST to wire names: `fullName` or `user.fullName` to `full_name`. A
 * field without its own parameter is a filter's operator: `fullName.startWith` becomes `full_name`.
 */
export function toWireNames(fault: Fault, keys: ReadonlyMap<string, string>): Fault {
  const given = fault.restFields ?? fault.fields;
  if (!given) return fault;
  const fields: FieldErrors = Object.create(null);
  for (const [name, texts] of Object.entries(given)) {
    const last = name.slice(name.lastIndexOf(".") + 1);
    const [first = last] = name.split(".");
    const key = keys.get(name) ?? keys.get(last) ?? snakeCase(first);
    fields[key] = [...(fields[key] ?? []), ...texts];
  }
  return new Fault(fault.code, fault.message, fields, fault.retryAfter);
}

const FASTIFY_ERRORS = new Map([
  ["FST_ERR_BAD_URL", "The URL is not valid"],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", "The Content-Type is not valid"],
  ["FST_ERR_CTP_INVALID_CONTENT_LENGTH", "The body does not match its Content-Length"],
]);

/** Converts errors of Fastify, and aborted bodies, to faults; undefined for other errors. */
function serverFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  if (typeof code !== "string" || typeof statusCode !== "number") return undefined;
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return NOT_FOUND;
  const aborted = code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE";
  if (!aborted && !code.startsWith("FST_ERR_")) return undefined;
  if (statusCode === 413) return new Fault("TOO_LARGE", "The body is too large");
  if (statusCode === 404) return NOT_FOUND;
  if (statusCode < 400 || statusCode > 499) return undefined;
  return new Fault("MALFORMED", FASTIFY_ERRORS.get(code) ?? "The request is not valid");
}

/**
 * Makes the REST error format the server's default, for unknown paths and methods and for errors of Fastify.
 * Use it with {@link restServerOptions}, which cover errors before routing.
 */
export function registerRestErrors(server: FastifyInstance): void {
  server.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  server.setErrorHandler((error, request, reply) =>
    // An unknown path is 404 even if the body is invalid.
    request.is404 && serverFault(error) ? sendNotFound(reply) : sendError(error, request, reply),
  );
}

/**
 * Fastify options: the REST error format for paths that cannot be decoded and for input that is not HTTP, and
 * path parameters of up to 255 percent-encoded characters.
 */
export const restServerOptions = {
  routerOptions: { maxParamLength: 255 * 12 },
  frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    sendError(error, request, reply);
  },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket): void => {
    // The client is gone.
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
