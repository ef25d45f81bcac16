import cors from "@fastify/cors";
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import type { Config } from "../core/config";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { countRequests, requireCounts } from "./counting";

/** Milliseconds that a client may take to send a request in full. */
const REQUEST_MS = 30_000;
/** Characters of a path at most. */
const URL_MAX = 8_192;

/** Request headers that a page of another origin may send, and answer headers it may read. */
const ALLOWED_HEADERS = [
  "Svc-Token",
  "Svc-Account-Key",
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "Apollo-Require-Preflight",
];
const EXPOSED_HEADERS = ["Retry-After", "Svc-Token-ExpirationDate", "X-Request-Id"];

/** What the server is made of, besides the configuration. */
export interface ServerParts {
  log: Log;
  /** Counts a request that has arrived; answers why it is refused. */
  arrive(ip: string): Fault | null;
  /** How a door answers what no route does. */
  options: FastifyServerOptions & Required<Pick<FastifyServerOptions, "frameworkErrors">>;
}

/** The HTTP server that the doors share: limits, request ids, cross-origin rules, log. */
export async function openServer(
  config: Config,
  { log, arrive, options }: ServerParts,
): Promise<FastifyInstance> {
  const server = fastify({
    ...options,
    // What cannot be routed meets no hook.
    frameworkErrors: (error, request, reply) =>
      options.frameworkErrors((arrive(request.ip ?? "") ?? error) as FastifyError, request, reply),
    loggerInstance: log as FastifyBaseLogger,
    // The hook below logs requests without what may be secret; a logger per request costs too much.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    bodyLimit: config.BODY_LIMIT,
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    requestTimeout: REQUEST_MS,
    return503OnClosing: true,
    // Node would answer without a body; the hook below does it in the form of the doors.
    http: { requireHostHeader: false },
    forceCloseConnections: "idle",
    genReqId: newId,
  });
  // Node keeps an address that it was asked for; of a connection that is cut it knows none any more, and
  // what came over it still counts for where it came from.
  server.server.on("connection", (socket) => void socket.remoteAddress);
  // First, since preflights are answered right behind it: they count, and are refused by nobody, so that
  // a page reads why its request is.
  countRequests(server, arrive);
  await server.register(cors, {
    origin: config.CORS_ORIGINS.includes("*") ? "*" : config.CORS_ORIGINS,
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
  requireCounts(server);
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    done(request.overLimit ?? refusalOf(request));
  });
  if (log.isLevelEnabled("debug")) {
    server.addHook("onResponse", async (request, reply) => {
      // The route, not the address: a query may hold names and e-mail addresses.
      const { method, id: requestId } = request;
      const path = request.routeOptions.url;
      log.debug(
        { requestId, method, path, status: reply.statusCode, ms: reply.elapsedTime },
        "request",
      );
    });
  }
  return server;
}

/** Why a request is refused before it is read any further. */
function refusalOf({ url, headers, raw }: FastifyRequest): Fault | undefined {
  if (url.length > URL_MAX) return new Fault("TOO_LARGE", "The address is too long");
  if (headers.host === undefined && raw.httpVersion === "1.1") {
    return new Fault("MALFORMED", "The Host header is missing");
  }
  return undefined;
}
