import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ExecutionArgs, ExecutionResult } from "graphql";
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, type Context as SocketContext } from "graphql-ws";
import { type WebSocket, WebSocketServer } from "ws";
import { closeGradually } from "../../../core/close-gradually";
import type { Config } from "../../../core/config";
import { Fault, toFault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import { newId } from "../../../core/random";
import type { RateLimits } from "../../../platform/limits/rate-limits";
import { tokenOf } from "../../http/request-caller";
import type { Context, CreateContext } from "../engine/context";
import { DocumentRefused } from "../engine/document-reader";
import type { Engine, OperationResult } from "../engine/engine";
import { faultError, operationError } from "../engine/error";
import { REFUSED_WEIGHT } from "../engine/operation-weight";
import type { PreparedOperation } from "../engine/prepared";
import { GRAPHQL_PATH } from "../http";
import { type AnonymousSocket, AnonymousSockets } from "./anonymous-sockets";
import { handOver, type SocketOperation } from "./socket-operations";
import { type SocketExtra, serveGraphqlSocket } from "./socket-protocol";
import { SocketSession, type SocketSessionDeps } from "./socket-session";
import { refuseUpgrade, serveWithoutUpgrade } from "./upgrades";

/** Dependencies of GraphQL over WebSocket. */
export interface GraphqlSocketOptions extends SocketSessionDeps {
  config: Config;
  engine: Engine;
  log: Log;
  limits: RateLimits;
  makeContext: CreateContext;
  metrics: Metrics;
  /** Client address of an upgrade request, behind trusted proxies. */
  addressOf(request: IncomingMessage): string;
  /** Whether an address belongs to a trusted proxy (TRUST_PROXY) instead of a client. */
  isProxy(address: string): boolean;
  /** @throws Fault UNAVAILABLE with retryAfter while the node is overloaded */
  admitConnection(): void;
}

/**
 * Close codes of IANA's registry; graphql-ws clients reconnect after both. Try Again Later is for clients
 * that read too slowly, send too much or stay idle; Service Restart is for draining. graphql-ws's own 4429
 * would be final.
 */
const CLOSE = { later: 1013, draining: 1012 } as const;
/** Timeout of the closing handshake, in milliseconds. */
const CLOSE_MS = 2_000;
/** Interval between pings, in milliseconds. */
const KEEP_ALIVE_MS = 12_000;
/**
 * Timeout of the client's ConnectionInit message from the server's 101, in milliseconds; as long as a chat stream has for
 * its negotiation. A client on a slow network sends it a round trip later, and the message may have to be sent twice.
 */
const INIT_MS = 10_000;

type Params = Record<string, unknown>;
type Socket = SocketContext<Params, SocketExtra>;
/** Arguments of an operation, from onSubscribe to its execution. */
type Operation = ExecutionArgs & {
  prepared: PreparedOperation;
  contextValue: Context;
  operation: SocketOperation;
};

/** GraphQL over WebSocket: the graphql-transport-ws protocol on `/graphql` of the HTTP server. */
export class GraphqlSockets {
  private readonly server: WebSocketServer;
  private readonly sessions = new WeakMap<WebSocket, SocketSession>();
  private readonly anonymous: AnonymousSockets;
  /** Sockets that have no session yet. */
  private readonly withoutSession = new WeakMap<WebSocket, AnonymousSocket>();

  constructor(
    http: HttpServer,
    private readonly options: GraphqlSocketOptions,
  ) {
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: options.config.BODY_LIMIT,
      perMessageDeflate: false,
      handleProtocols: (offered) =>
        offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) && GRAPHQL_TRANSPORT_WS_PROTOCOL,
    });
    this.anonymous = new AnonymousSockets(options.config, (socket) =>
      socket.close(CLOSE.later, "Idle, or too many sockets without a session"),
    );
    http.on("upgrade", (request, socket, head) => {
      if (request.headers.upgrade?.toLowerCase() === "websocket")
        this.upgrade(request, socket, head);
      else serveWithoutUpgrade(http, request, socket, head);
    });
    const serve = serveGraphqlSocket<Params>(
      {
        connectionInitWaitTimeout: INIT_MS,
        onConnect: (context) => this.connect(context),
        onDisconnect: (context) => this.sessionOf(context).dispose(),
        onSubscribe: (context, id, payload) => this.prepare(context, id, payload),
        execute: (args) => this.run(args as Operation),
        subscribe: (args) => this.subscribe(args as Operation) as never,
      },
      {
        log: options.log,
        keepAliveMs: KEEP_ALIVE_MS,
        overLimitCode: CLOSE.later,
        createMessageLimiter: (request) =>
          options.limits.requestCounter(options.addressOf(request)),
      },
    );
    this.server.on("connection", (socket, request) => {
      options.metrics.sockets.inc({ protocol: "graphql" });
      socket.once("close", () => options.metrics.sockets.dec({ protocol: "graphql" }));
      serve(socket, request);
    });
  }

  /**
   * Closes all sockets gradually over a time window, in milliseconds, so that clients reconnect elsewhere.
   */
  async drain(windowMs: number): Promise<void> {
    await closeGradually(this.server.clients, windowMs, (socket) =>
      socket.close(CLOSE.draining, "Service restart"),
    );
  }

  /** Closes the remaining sockets. Terminates those whose client does not complete the closing handshake. */
  async close(): Promise<void> {
    for (const socket of this.server.clients) socket.close(CLOSE.draining, "Service restart");
    const timer = setTimeout(() => {
      for (const socket of this.server.clients) socket.terminate();
    }, CLOSE_MS);
    await new Promise((resolve) => this.server.close(resolve));
    clearTimeout(timer);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const { addressOf, isProxy } = this.options;
    const ip = addressOf(request);
    let anonymous: AnonymousSocket;
    try {
      this.checkUpgrade(request, ip);
      anonymous = this.anonymous.admit(isProxy(ip) ? null : ip);
    } catch (error) {
      refuseUpgrade(socket, toFault(error));
      return;
    }
    socket.once("close", () => anonymous.release());
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      this.withoutSession.set(webSocket, anonymous);
      anonymous.open(webSocket);
      this.server.emit("connection", webSocket, request);
    });
  }

  /** @throws Fault if the upgrade must be refused with an HTTP status */
  private checkUpgrade({ url = "", headers }: IncomingMessage, ip: string): void {
    const overLimit = this.options.limits.countRequest(ip);
    if (overLimit) throw overLimit;
    if (url.split("?")[0] !== GRAPHQL_PATH) throw new Fault("NOT_FOUND", "Not found");
    const { origin } = headers;
    const { CORS_ORIGINS } = this.options.config;
    if (origin !== undefined && !CORS_ORIGINS.includes("*") && !CORS_ORIGINS.includes(origin)) {
      throw new Fault("FORBIDDEN", "This origin is not allowed");
    }
    this.options.admitConnection();
  }

  /** Binds the socket to the session of the token in ConnectionInit, if there is one. */
  private async connect(context: Socket): Promise<void> {
    const { socket, overLimit } = context.extra;
    if (overLimit) {
      socket.close(CLOSE.later, overLimit.message);
      return;
    }
    const token = tokenOfParams(context.connectionParams);
    if (token === undefined) return;
    await this.sessionOf(context).connect(token);
    // A refused socket keeps its slot until it is closed.
    if (socket.readyState !== socket.OPEN) return;
    this.withoutSession.get(socket)?.release();
    this.withoutSession.delete(socket);
  }

  private sessionOf({ extra: { socket, request } }: Socket): SocketSession {
    const known = this.sessions.get(socket);
    if (known) return known;
    const { addressOf } = this.options;
    const { origin } = request.headers;
    const session = new SocketSession(this.options, socket, addressOf(request), origin);
    this.sessions.set(socket, session);
    return session;
  }

  private prepare(
    context: Socket,
    id: string,
    payload: {
      query: string;
      operationName?: string | null;
      variables?: Record<string, unknown> | null;
      extensions?: Record<string, unknown> | null;
    },
  ): Operation | readonly ReturnType<typeof faultError>[] {
    const { config, engine, log, makeContext } = this.options;
    const { request, socket, operations, overLimit } = context.extra;
    if (overLimit) return [faultError(overLimit)];
    if (operations.size > config.GRAPHQL_SOCKET_OPERATIONS) {
      const message = `A socket may run at most ${config.GRAPHQL_SOCKET_OPERATIONS} operations at once`;
      return [faultError(new Fault("LIMITED", message, undefined, 1))];
    }
    const session = this.sessionOf(context);
    try {
      const prepared = engine.prepare(payload.query, payload.operationName);
      const operation = operations.get(id);
      const anonymous = this.withoutSession.get(socket);
      anonymous?.operationStarted();
      session.operationStarted();
      operation.onEnd = () => {
        anonymous?.operationEnded();
        session.operationEnded(id);
      };
      return {
        prepared,
        operation,
        schema: engine.schema,
        document: prepared.document,
        operationName: prepared.operationName,
        variableValues: payload.variables ?? {},
        contextValue: makeContext({
          protocol: "websocket",
          ip: session.ip,
          userAgent: request.headers["user-agent"],
          token: session.token,
          origin: request.headers.origin,
          requestId: newId(),
          // A browser can set no headers on a socket, and one carries the operations of many traces.
          trace: payload.extensions ?? undefined,
          disconnect: () => socket.close(CLOSE.later, "Too many signals waiting"),
          deviceSessionId: session.deviceSessionId,
          renewSession: (token) => session.renew(token),
          deferClose: () => session.delayCloseFor(id),
        }),
      };
    } catch (error) {
      // Returned, because a thrown error would close the socket with all its operations.
      if (!(error instanceof DocumentRefused)) return [operationError(error, log, id)];
      this.countRefused(session.ip);
      return error.errors;
    }
  }

  private async run(args: Operation): Promise<ExecutionResult> {
    const { prepared, contextValue, variableValues } = args;
    const { engine } = this.options;
    const result = await engine.run(prepared, contextValue, { ...variableValues }, "websocket");
    const [first] = result.data === undefined ? (result.errors ?? []) : [];
    if (first && first.extensions.code !== "LIMITED") this.countRefused(contextValue.caller.ip);
    return result;
  }

  /** Charges an operation that was refused before execution. */
  private countRefused(ip: string): void {
    this.options.limits.addExtra(ip, REFUSED_WEIGHT - 1);
  }

  private async subscribe(args: Operation): Promise<OperationResult> {
    const { prepared, contextValue, variableValues, operation } = args;
    const { engine } = this.options;
    const results = await engine.subscribe(
      prepared,
      contextValue,
      { ...variableValues },
      "websocket",
    );
    return handOver(operation, results);
  }
}

/** The token of ConnectionInit: `token`, or what libraries take over from the headers of their requests. */
function tokenOfParams(params: Params = {}): string | undefined {
  if (typeof params.token === "string" && params.token !== "") return params.token;
  const header = (name: string) => {
    const [, value] = Object.entries(params).find(([key]) => key.toLowerCase() === name) ?? [];
    return typeof value === "string" ? value : undefined;
  };
  const authorization = header("authorization");
  return tokenOf({ "svc-token": header("svc-token"), ...(authorization && { authorization }) });
}
