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
import { ERRORS, Fault } from "../core/errors";
import type { Context } from "./context";
import { DocumentRefused, type Engine, type Prepared } from "./engine";
import { faultError, formatForApollo } from "./error";

/** Texts of persisted queries that are kept at most, and their characters together. */
const PERSISTED = { max: 1_000, maxSize: 4_000_000 };

/**
 * Apollo Server as a shell: its rules for requests, content types and cross-site requests, while the
 * engine reads every document, once, and runs every operation. So nothing is read in two ways.
 */
export function openApollo(engine: Engine): ApolloServer<Context> {
  const readings: Readings = new WeakMap();
  return new ApolloServer<Context>({
    gateway: gatewayTo(engine, readings),
    // The engine reads documents, within its limits, and keeps them.
    dangerouslyDisableValidation: true,
    documentStore: null,
    persistedQueries: { cache: persistedQueries() },
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: formatForApollo,
    plugins: [readByEngine(engine, readings), ...quietPlugins()],
  });
}

/** What the engine made of the document of a request: an operation, or why it is refused. */
type Readings = WeakMap<Context, Prepared | DocumentRefused>;

/** What Apollo Server is told to run in place of a document that is refused. */
const NOTHING = parse("{ __typename }");

/**
 * Has the engine read the document before Apollo Server would: it takes the document and the name of its
 * operation from here, for its own rule that GET runs queries alone.
 */
function readByEngine(engine: Engine, readings: Readings): ApolloServerPlugin<Context> {
  return {
    async requestDidStart({ request }) {
      refuseOddHash(request);
      return {
        async didResolveSource(requestContext) {
          const { source, contextValue } = requestContext;
          const reading = read(engine, source, request.operationName);
          readings.set(contextValue, reading);
          const refused = reading instanceof DocumentRefused;
          request.operationName = refused ? undefined : reading.operationName;
          (requestContext as { document?: DocumentNode }).document = refused
            ? NOTHING
            : reading.document;
        },
      };
    },
  };
}

function read(engine: Engine, source: string, operationName: string | undefined) {
  try {
    return engine.prepare(source, operationName);
  } catch (error) {
    if (error instanceof DocumentRefused) return error;
    throw error;
  }
}

/** Apollo Server makes text of the hash of a persisted query, whatever it is; not everything can be. */
function refuseOddHash({ extensions }: GraphQLRequest): void {
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

/** The schema is ours, and so is what executes it. */
function gatewayTo(engine: Engine, readings: Readings): Gateway {
  return {
    async load() {
      return {
        executor: async ({ request, context }) => {
          const reading = readings.get(context as Context);
          if (!reading) throw new Error("a document was not read");
          if (reading instanceof DocumentRefused) return { errors: reading.errors };
          const { operation } = reading.operation;
          if (operation === "subscription") return { errors: [overHttp()] };
          if (operation === "mutation" && request.http?.method !== "POST") {
            return { errors: [byPostAlone()] };
          }
          const variables = request.variables ?? {};
          const answer = await engine.run(reading, context as Context, variables, "graphql");
          return answer.errors ? withHttp(answer, answer.errors) : answer;
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

function overHttp(): GraphQLError {
  const message = "Subscriptions run over the WebSocket (graphql-transport-ws) alone";
  return faultError(new Fault("MALFORMED", message));
}

/** Apollo Server refuses it before; what changes something does not hang on that. */
function byPostAlone(): GraphQLError {
  return faultError(new Fault("MALFORMED", "Mutations run by POST alone"));
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
