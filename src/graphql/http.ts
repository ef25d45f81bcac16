import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ExecutionResult, GraphQLError } from "graphql";
import type { Caller } from "../core/caller";
import type { Config } from "../core/config";
import { ERRORS, Fault, toFault } from "../core/errors";
import type { Context, MakeContext } from "./context";
import { DocumentRefused, type Engine } from "./engine";
import { faultError, formatForApollo } from "./error";
import { registerGraphiqlFiles, sendGraphiql } from "./graphiql";

/** What the GraphQL door over HTTP stands on. */
export interface GraphqlHttpOptions {
  config: Config;
  engine: Engine;
  makeContext: MakeContext;
}

/** Where GraphQL is served. */
export const GRAPHQL_PATH = "/graphql";

/**
 * GraphQL over HTTP (GraphQL over HTTP specification, draft): Apollo Server keeps its rules for
 * requests, content types and cross-site requests; the engine runs the operations.
 */
export async function registerGraphqlHttp(
  server: FastifyInstance,
  { config, engine, makeContext }: GraphqlHttpOptions,
): Promise<void> {
  const apollo = new ApolloServer<Context>({
    gateway: gatewayTo(engine),
    // The engine validates, within its limits and once per document.
    dangerouslyDisableValidation: true,
    parseOptions: { maxTokens: config.GRAPHQL_MAX_TOKENS },
    introspection: config.INTROSPECTION,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: formatForApollo,
    plugins: quietPlugins(),
  });
  await apollo.start();

  await server.register(async (scope) => {
    scope.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
      const fault = requestFault(error);
      if (fault.retryAfter !== undefined) reply.header("retry-after", fault.retryAfter);
      reply.code(ERRORS[fault.code].http).send({ errors: [faultError(fault).toJSON()] });
    });
    const handler = fastifyApolloHandler(apollo, {
      context: async (request: FastifyRequest) => makeContext(callerOf(request)),
    });
    scope.route({
      method: ["POST", "OPTIONS"],
      url: GRAPHQL_PATH,
      handler,
    });
    scope.route({
      method: "GET",
      url: GRAPHQL_PATH,
      async handler(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
        if (config.GRAPHIQL && wantsPage(request)) return sendGraphiql(reply);
        return handler.call(this, request as Parameters<typeof handler>[0], reply as never);
      },
    });
    if (config.GRAPHIQL) registerGraphiqlFiles(scope);
  });
  server.addHook("onClose", () => apollo.stop());
}

type Gateway = NonNullable<ApolloServerOptionsWithGateway<Context>["gateway"]>;

/** Apollo Server as a shell: the schema is ours, and so is what executes it. */
function gatewayTo(engine: Engine): Gateway {
  return {
    async load() {
      return {
        // The source, since a persisted query comes without its text.
        executor: async ({ request, source, context }) => {
          try {
            const prepared = engine.prepare(source, request.operationName);
            if (prepared.operation.operation === "subscription") throw overHttp();
            const variables = request.variables ?? {};
            const answer = await engine.run(prepared, context as Context, variables, "graphql");
            return answer.errors ? withHttp(answer, answer.errors) : answer;
          } catch (error) {
            if (error instanceof DocumentRefused) return { errors: error.errors };
            throw error;
          }
        },
      };
    },
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: engine.schema, coreSupergraphSdl: "" });
      return () => undefined;
    },
    async stop() {},
  };
}

/**
 * The answer with what Apollo Server is to say in HTTP's own words: how long to wait where a limit
 * refused, and the status of that where it left nothing to answer with.
 */
function withHttp(answer: ExecutionResult, errors: readonly GraphQLError[]): ExecutionResult {
  const limited = errors.flatMap(({ originalError: fault }) =>
    fault instanceof Fault && fault.code === "LIMITED" ? [fault.retryAfter ?? 1] : [],
  );
  const [first] = errors;
  if (limited.length === 0 || !first) return answer;
  const headers = new HeaderMap([["retry-after", String(Math.max(...limited))]]);
  const status = answer.data ? undefined : ERRORS.LIMITED.http;
  // Apollo Server takes it off the error again.
  const extensions = { ...first.extensions, http: { status, headers } };
  const told = new GraphQLError(first.message, { ...first, extensions });
  return { ...answer, errors: [told, ...errors.slice(1)] };
}

function overHttp(): DocumentRefused {
  const message = "Subscriptions run over the WebSocket (graphql-transport-ws) alone";
  return new DocumentRefused([faultError(new Fault("MALFORMED", message))]);
}

/** Apollo's default plugins cost a third of a request and talk to its own services; none is needed. */
function quietPlugins() {
  return [
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ];
}

function callerOf(request: FastifyRequest): Caller {
  const { headers } = request;
  return {
    door: "graphql",
    ip: request.ip,
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
