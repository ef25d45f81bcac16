import cors from "@fastify/cors";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import type { Config } from "../core/config";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import { newId } from "../core/random";

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

/**
 * The HTTP server that the doors share: limits, request ids, cross-origin rules, log.
 * @param options how a door answers what no route does
 */
export async function openServer(
  config: Config,
  log: Log,
  options: FastifyServerOptions,
): Promise<FastifyInstance> {
  const server = fastify({
    ...options,
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
  await server.register(cors, {
    origin: config.CORS_ORIGINS.includes("*") ? "*" : config.CORS_ORIGINS,
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    done(refusalOf(request));
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
