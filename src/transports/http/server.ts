import type { Socket } from "node:net";
import cors from "@fastify/cors";
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import { clientAddress } from "../../core/client-address";
import type { Config } from "../../core/config";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { isTracingOn } from "../../core/tracing";
import { apiKeyOf, tokenOf } from "./request-caller";
import { traceRequests } from "./request-spans";

/**
 * How a route counts its requests against rate limits: "request", one per request for the client's address;
 * "nothing"; or "by itself", in a hook of the route that runs before anything else is read.
 */
export type RouteCount = "request" | "nothing" | "by itself";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How requests to the route count against rate limits (docs/LIMITS.md). Required for every route. */
    counts?: RouteCount;
    /** Whether requests of the route carry a token outside of the headers, for load shedding. */
    hasToken?: boolean;
    /** Whether the route holds its requests until there is an answer: they are no work in progress. */
    waits?: boolean;
  }
  interface FastifyRequest {
    /**
     * The error if the client's address exceeds its rate limit; the request is rejected before it is read.
     */
    rateLimitFault: Fault | null;
  }
}

/** Timeout to receive a complete request, in milliseconds. */
const REQUEST_MS = 30_000;
/** Maximum length of a URL, in characters. */
const URL_MAX = 8_192;

/** CORS: request headers that other origins may send, and response headers that they may read. */
const ALLOWED_HEADERS = [
  "Svc-Token",
  "Svc-Account-Key",
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "Apollo-Require-Preflight",
  "Traceparent",
  "Tracestate",
];
const EXPOSED_HEADERS = [
  "Retry-After",
  "Svc-Token-ExpirationDate",
  "WWW-Authenticate",
  "X-Request-Id",
];

/** Options of {@link openServer}. */
export interface ServerOptions {
  log: Log;
  /** Counts a request on arrival; returns the error if its address exceeds its limit. */
  countRequest(ip: string): Fault | null;
  /** Fastify options, with the rendering of errors that occur before routing. */
  options: FastifyServerOptions & Required<Pick<FastifyServerOptions, "frameworkErrors">>;
}

/** Opens the HTTP server that all HTTP protocols share: limits, request ids, CORS, request log. */
export async function openServer(
  config: Config,
  { log, countRequest, options }: ServerOptions,
): Promise<FastifyInstance> {
  const addressOf = clientAddress(config.TRUST_PROXY);
  const server = fastify({
    ...options,
    // Requests that cannot be routed skip the hooks, so they are counted here. Fastify makes their `request.ip` without
    // regard to trustProxy.
    frameworkErrors: (error, request, reply) =>
      options.frameworkErrors(
        (countRequest(addressOf(request.raw)) ?? error) as FastifyError,
        request,
        reply,
      ),
    loggerInstance: log as FastifyBaseLogger,
    // The hook below logs requests without possible secrets; a child logger per request is too expensive.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    bodyLimit: config.BODY_LIMIT,
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    requestTimeout: REQUEST_MS,
    return503OnClosing: true,
    // Node would answer without a body; the hook below answers in the form of the API.
    http: { requireHostHeader: false },
    forceCloseConnections: "idle",
    genReqId: newId,
  });
  // Reading the address makes Node cache it. Without this it is lost when the connection closes, and the
  // requests of the connection could not be counted.
  server.server.on("connection", (socket) => void socket.remoteAddress);
  closeUnusedConnections(server);
  if (isTracingOn()) traceRequests(server);
  // Registered before CORS, which answers preflights: they are counted but never rejected, so that the page
  // can read why its actual request is rejected.
  countRequests(server, countRequest);
  await server.register(cors, {
    origin: config.CORS_ORIGINS.includes("*") ? "*" : config.CORS_ORIGINS,
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
  requireCountConfig(server);
  server.addHook("onRequest", (request, reply, done) => {
    reply.header("X-Request-Id", request.id);
    done(request.rateLimitFault ?? headFault(request));
  });
  if (log.isLevelEnabled("debug")) {
    server.addHook("onResponse", async (request, reply) => {
      // Logs the route, not the URL: a query may contain names and e-mail addresses.
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

/**
 * Closes connections without a request when the server closes. Browsers open some in advance, and Node waits for their
 * first request until it times out, for a minute.
 */
function closeUnusedConnections(server: FastifyInstance): void {
  const open = new Set<Socket>();
  server.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.addHook("preClose", async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

/** The error of a request that is rejected before its body is read. */
function headFault({ url, headers, raw }: FastifyRequest): Fault | undefined {
  if (url.length > URL_MAX) return new Fault("TOO_LARGE", "The URL is too long");
  if (headers.host === undefined && raw.httpVersion === "1.1") {
    return new Fault("MALFORMED", "The Host header is missing");
  }
  if (apiKeyOf(headers) !== undefined && tokenOf(headers) !== undefined) {
    return new Fault(
      "MALFORMED",
      "A request has either a token or an API key (Svc-Api-Key), not both",
    );
  }
  return undefined;
}

/**
 * Counts each request for its client's address on arrival: before its headers are checked and its body is
 * read, even if the path does not exist. Called before anything that answers requests is registered.
 * @param arrive counts one request; returns the error if the address exceeds its limit
 */
function countRequests(server: FastifyInstance, arrive: (ip: string) => Fault | null): void {
  server.decorateRequest("rateLimitFault", null);
  server.addHook("onRequest", (request, _reply, done) => {
    const { counts = "request" } = request.routeOptions.config;
    // A closed connection has no address.
    if (counts === "request") request.rateLimitFault = arrive(request.ip ?? "");
    done();
  });
}

/**
 * Makes the registration of a route fail if it lacks `config.counts`.
 * @throws Error at the start
 */
function requireCountConfig(server: FastifyInstance): void {
  server.addHook("onRoute", ({ method, url, config }) => {
    if (config?.counts !== undefined) return;
    throw new Error(`${method} ${url} does not declare how it counts (config.counts)`);
  });
}
