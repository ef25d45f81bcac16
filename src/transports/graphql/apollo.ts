import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type GraphQLRequest,
  HeaderMap,
} from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { type DocumentNode, type ExecutionResult, GraphQLError, parse } from "graphql";
import { LRUCache } from "lru-cache";
import { ERRORS, Fault } from "../../core/errors";
import type { Context } from "./engine/context";
import { DocumentRefused } from "./engine/document-reader";
import type { Engine } from "./engine/engine";
import {
  faultError,
  formatForApollo,
  MUTATION_BY_GET,
  SUBSCRIPTION_OVER_HTTP,
} from "./engine/error";
import type { PreparedOperation } from "./engine/prepared";

/** Maximum number of persisted queries, and maximum of their total characters. */
const PERSISTED = { max: 1_000, maxSize: 4_000_000 };

/**
 * Creates the Apollo Server that handles HTTP: request formats, content types and CSRF prevention. The engine
 * parses every document once and runs every operation, so parsing and limits do not differ by protocol.
 */
export function openApollo(engine: Engine): ApolloServer<Context> {
  const documents: Documents = new WeakMap();
  return new ApolloServer<Context>({
    gateway: gatewayTo(engine, documents),
    // The engine validates and caches documents, within its limits.
    dangerouslyDisableValidation: true,
    documentStore: null,
    persistedQueries: { cache: persistedQueries() },
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: formatForApollo,
    plugins: [prepareByEngine(engine, documents), ...disabledPlugins()],
  });
}

/** The prepared operation of each request, or why its document was refused. */
type Documents = WeakMap<Context, PreparedOperation | DocumentRefused>;

/** Placeholder for a refused document, because Apollo Server requires one. */
const PLACEHOLDER = parse("{ __typename }");

/**
 * Lets the engine parse the document before Apollo Server does. Apollo Server needs the document and the
 * operation name to enforce that GET runs queries only.
 */
function prepareByEngine(engine: Engine, documents: Documents): ApolloServerPlugin<Context> {
  return {
    async requestDidStart({ request }) {
      normalizeHash(request);
      return {
        async didResolveSource(requestContext) {
          const { source, contextValue } = requestContext;
          const prepared = prepare(engine, source, request.operationName);
          documents.set(contextValue, prepared);
          const isRefused = prepared instanceof DocumentRefused;
          request.operationName = isRefused ? undefined : prepared.operationName;
          (requestContext as { document?: DocumentNode }).document = isRefused
            ? PLACEHOLDER
            : prepared.document;
        },
      };
    },
  };
}

function prepare(engine: Engine, source: string, operationName: string | undefined) {
  try {
    return engine.prepare(source, operationName);
  } catch (error) {
    if (error instanceof DocumentRefused) return error;
    throw error;
  }
}

/** Replaces a persisted query's hash that is not a string: Apollo Server would throw when it converts it. */
function normalizeHash({ extensions }: GraphQLRequest): void {
  const persisted: unknown = extensions?.persistedQuery;
  if (typeof persisted !== "object" || persisted === null) return;
  const { sha256Hash } = persisted as { sha256Hash?: unknown };
  if (typeof sha256Hash !== "string") Object.assign(persisted, { sha256Hash: "" });
}

function persistedQueries() {
  const texts = new LRUCache<string, string>({
    ...PERSISTED,
    sizeCalculation: (text) => text.length + 1,
  });
  return {
    get: async (key: string) => texts.get(key),
    async set(key: string, text: string) {
      texts.set(key, text);
    },
    delete: async (key: string) => texts.delete(key),
  };
}

type Gateway = NonNullable<ApolloServerOptionsWithGateway<Context>["gateway"]>;

/** Makes Apollo Server execute operations by the engine. */
function gatewayTo(engine: Engine, documents: Documents): Gateway {
  return {
    async load() {
      return {
        executor: async ({ request, context }) => {
          const prepared = documents.get(context as Context);
          if (!prepared) throw new Error("the document was not prepared");
          if (prepared instanceof DocumentRefused) return { errors: prepared.errors };
          const { operation } = prepared.operation;
          if (operation === "subscription") return { errors: [subscriptionOverHttp()] };
          if (operation === "mutation" && request.http?.method !== "POST") {
            return { errors: [mutationByGet()] };
          }
          const variables = request.variables ?? {};
          const result = await engine.run(prepared, context as Context, variables, "graphql");
          return result.errors ? withHttp(result, result.errors) : result;
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
 * Adds the HTTP response of a rate-limited operation: a Retry-After header, and status 429 if there is no
 * data.
 */
function withHttp(result: ExecutionResult, errors: readonly GraphQLError[]): ExecutionResult {
  const limited = errors.flatMap(({ originalError: fault }) =>
    fault instanceof Fault && fault.code === "LIMITED" ? [fault.retryAfter ?? 1] : [],
  );
  const [first] = errors;
  if (limited.length === 0 || !first) return result;
  const headers = new HeaderMap([["retry-after", String(Math.max(...limited))]]);
  const status = result.data ? undefined : ERRORS.LIMITED.http;
  // Apollo Server removes `http` from the error again.
  const extensions = { ...first.extensions, http: { status, headers } };
  const withExtensions = new GraphQLError(first.message, { ...first, extensions });
  return { ...result, errors: [withExtensions, ...errors.slice(1)] };
}

function subscriptionOverHttp(): GraphQLError {
  return faultError(new Fault("MALFORMED", SUBSCRIPTION_OVER_HTTP));
}

/** Apollo Server already refuses mutations by GET. This check does not rely on it. */
function mutationByGet(): GraphQLError {
  return faultError(new Fault("MALFORMED", MUTATION_BY_GET));
}

/** Disables Apollo's default plugins, which take a third of a request's time and call Apollo's services. */
function disabledPlugins() {
  return [
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ];
}
