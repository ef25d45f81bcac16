import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../core/config";
import { ERRORS, Fault, toFault } from "../../core/errors";
import { acceptsHtml } from "../http/browser-pages";
import { callerOf, hasCredential } from "../http/request-caller";
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
      context: async (request: FastifyRequest) => makeContext(callerOf(request, "graphql")),
    });
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      apolloHandler.call(scope, toApolloRequest(request) as never, reply as never);
    // Responses depend on the session, and a query by GET could otherwise be cached.
    scope.addHook("onRequest", (_request, reply, done) => {
      reply.header("cache-control", "no-store");
      done();
    });
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
 * The request as Apollo Server gets it: the fields that its Fastify integration and the context read.
 *
 * The integration builds a URL from the target and the Host header, uses only the query, and throws if Host is missing
 * (as in HTTP/1.0), empty or invalid; the host is therefore replaced. A request with a token or an API key cannot be
 * forged by another site, because browsers send neither header by themselves (unlike Basic credentials), so it counts as one that a
 * preflight has preceded.
 */
function toApolloRequest({ id, ip, method, url, headers, body }: FastifyRequest) {
  const query = url.indexOf("?");
  return {
    id,
    ip,
    protocol: "http",
    hostname: "localhost",
    method,
    url: query < 0 ? GRAPHQL_PATH : `${GRAPHQL_PATH}${url.slice(query)}`,
    headers: hasCredential(headers) ? { ...headers, "apollo-require-preflight": "1" } : headers,
    body,
  };
}

/** Whether a browser requests the GraphiQL page. */
function wantsPage(request: FastifyRequest): boolean {
  const parameters = request.query as { query?: unknown };
  return parameters.query === undefined && acceptsHtml(request.headers);
}

/** Converts errors of the HTTP server itself to faults of core/errors.ts. */
function requestFault(error: Error & { statusCode?: number; code?: string }): Fault {
  if (error instanceof Fault) return error;
  const { statusCode = 500 } = error;
  if (statusCode === 413) return new Fault("TOO_LARGE", "The request body is too large");
  if (statusCode >= 400 && statusCode < 500) return new Fault("MALFORMED", error.message);
  return toFault(error);
}
