import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller";
import type { Config } from "../core/config";
import { ERRORS, Fault, toFault } from "../core/errors";
import { openApollo } from "./apollo";
import type { MakeContext } from "./context";
import type { Engine } from "./engine";
import { faultError } from "./error";
import { registerGraphiqlFiles, sendGraphiql } from "./graphiql";
import { REFUSED_WEIGHT } from "./operation/operation-weight";

/** What the GraphQL door over HTTP stands on. */
export interface GraphqlHttpOptions {
  config: Config;
  engine: Engine;
  makeContext: MakeContext;
  limits: { worked(ip: string, requests: number): void };
}

/** Where GraphQL is served. */
export const GRAPHQL_PATH = "/graphql";
/** A request counts when it arrives; what it asks for beyond one, the engine counts. */
const COUNTED = { counts: "request" } as const;

/**
 * GraphQL over HTTP (GraphQL over HTTP specification, draft), by Apollo Server's rules.
 */
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
      apolloHandler.call(scope, withoutAddress(request) as never, reply as never);
    // Whatever is refused before it runs, by Apollo Server, by parsing, validation or its variables.
    scope.addHook("onSend", (request, reply, payload, done) => {
      if (reply.statusCode === ERRORS.MALFORMED.http)
        limits.worked(request.ip ?? "", REFUSED_WEIGHT - 1);
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
 * The request under an address that can be read. Apollo's integration for Fastify makes a URL of the target
 * and the Host header, of which nothing but the query counts, and throws on a Host that is missing (as
 * HTTP/1.0 has it), empty or broken.
 */
function withoutAddress(request: FastifyRequest): FastifyRequest {
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
    door: "graphql",
    // Of a connection that was cut before anybody asked there is none, whatever the type says.
    ip: request.ip ?? "",
    userAgent: headers["user-agent"],
    token: tokenOf(headers["svc-token"], headers.authorization),
    origin: headers.origin,
    requestId: request.id,
  };
}

/** The token of a request: the service's own header, or a bearer token (RFC 6750 section 2.1). */
function tokenOf(own: string | string[] | undefined, authorization: string | undefined) {
  if (typeof own === "string") return own;
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

/** Whether a browser asks for a page, not a client for an answer. */
function wantsPage(request: FastifyRequest): boolean {
  const asked = request.query as { query?: unknown };
  return asked.query === undefined && (request.headers.accept ?? "").includes("text/html");
}

/** What the HTTP server itself refuses, in the table's words. */
function requestFault(error: Error & { statusCode?: number; code?: string }): Fault {
  if (error instanceof Fault) return error;
  const { statusCode = 500 } = error;
  if (statusCode === 413) return new Fault("TOO_LARGE", "The request body is too large");
  if (statusCode >= 400 && statusCode < 500) return new Fault("MALFORMED", error.message);
  return toFault(error);
}
