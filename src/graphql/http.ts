import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller";
import type { Config } from "../core/config";
import { ERRORS, Fault, toFault } from "../core/errors";
import { openApollo } from "./apollo";
import type { CreateContext } from "./engine/context";
import type { Engine } from "./engine/engine";
import { faultError } from "./engine/error";
import { REFUSED_WEIGHT } from "./engine/operation-weight";
import { registerGraphiqlFiles, sendGraphiql } from "./graphiql";

/** Dependencies of GraphQL over HTTP. */
export interface GraphqlHttpOptions {
  config: Config;
  engine: Engine;
  makeContext: CreateContext;
  limits: { addExtra(ip: string, requests: number): void };
}

/** URL path of GraphQL over HTTP and WebSocket. */
export const GRAPHQL_PATH = "/graphql";
/** The HTTP server counts one request on arrival; the engine counts an operation's further weight. */
const COUNTED = { counts: "request" } as const;

/** Registers GraphQL over HTTP (GraphQL over HTTP specification, draft), by Apollo Server. */
export async function registerGraphqlHttp(
  server: FastifyInstance,
  { config, engine, makeContext, limits }: GraphqlHttpOptions,
): Promise<void> {
  const apollo = openApollo(engine);
  await apollo.start();

  await server.register(async (scope) => {
    scope.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
      const fault = requestFault(error);
      if (fault.retryAfter !== undefined) reply.header("retry-after", fault.retryAfter);
      reply.code(ERRORS[fault.code].http).send({ errors: [faultError(fault).toJSON()] });
    });
    const apolloHandler = fastifyApolloHandler(apollo, {
      context: async (request: FastifyRequest) => makeContext(callerOf(request)),
    });
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      apolloHandler.call(scope, withSafeUrl(request) as never, reply as never);
    // Charges requests that were refused before execution: by Apollo Server, parsing, validation or
    // variables.
    scope.addHook("onSend", (request, reply, payload, done) => {
      if (reply.statusCode === ERRORS.MALFORMED.http)
        limits.addExtra(request.ip ?? "", REFUSED_WEIGHT - 1);
      done(null, payload);
    });
    scope.route({
      method: ["POST", "OPTIONS"],
      url: GRAPHQL_PATH,
      config: COUNTED,
      handler,
    });
    scope.route({
      method: "GET",
      url: GRAPHQL_PATH,
      config: COUNTED,
      async handler(request: FastifyRequest, reply: FastifyReply) {
        if (config.GRAPHIQL && wantsPage(request)) return sendGraphiql(reply);
        return handler(request, reply);
      },
    });
    if (config.GRAPHIQL) registerGraphiqlFiles(scope);
  });
  server.addHook("onClose", () => apollo.stop());
}

/**
 * Overrides the request's host. Apollo's Fastify integration builds a URL from the target and the Host
 * header, uses only its query, and throws if Host is missing (as in HTTP/1.0), empty or invalid.
 */
function withSafeUrl(request: FastifyRequest): FastifyRequest {
  const query = request.url.indexOf("?");
  return Object.create(request, {
    protocol: { value: "http" },
    hostname: { value: "localhost" },
    url: { value: query < 0 ? GRAPHQL_PATH : `${GRAPHQL_PATH}${request.url.slice(query)}` },
  });
}

function callerOf(request: FastifyRequest): Caller {
  const { headers } = request;
  return {
    protocol: "graphql",
    // Undefined, despite its type, if the connection was already closed.
    ip: request.ip ?? "",
    userAgent: headers["user-agent"],
    token: tokenOf(headers["svc-token"], headers.authorization),
    origin: headers.origin,
    requestId: request.id,
  };
}

/** The token of a request: from the Svc-Token header, else a bearer token (RFC 6750 section 2.1). */
function tokenOf(svcToken: string | string[] | undefined, authorization: string | undefined) {
  if (typeof svcToken === "string") return svcToken;
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

/** Whether a browser requests the GraphiQL page. */
function wantsPage(request: FastifyRequest): boolean {
  const parameters = request.query as { query?: unknown };
  return parameters.query === undefined && (request.headers.accept ?? "").includes("text/html");
}

/** Converts errors of the HTTP server itself to faults of core/errors.ts. */
function requestFault(error: Error & { statusCode?: number; code?: string }): Fault {
  if (error instanceof Fault) return error;
  const { statusCode = 500 } = error;
  if (statusCode === 413) return new Fault("TOO_LARGE", "The request body is too large");
  if (statusCode >= 400 && statusCode < 500) return new Fault("MALFORMED", error.message);
  return toFault(error);
}
