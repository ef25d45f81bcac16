import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { clientAddress, isWithin, unmapIpv4 } from "../../../core/client-address";
import { ERRORS, type Fault, toFault } from "../../../core/errors";
import { type ListenAddress, type ListeningPort, listen } from "../../../core/startup/listen";
import type { LiveCertificate } from "../../../core/tls/certificate";
import { tlsOptions } from "../../../core/tls/pem";
import { PreAuthLimiter } from "../../../platform/limits/pre-auth-limiter";
import { MESSAGE_BYTES } from "../protocol/janus-limits";
import type { JanusDeps, JanusSessions } from "../session/janus-sessions";
import { JanusSocket } from "./janus-socket";

/** The sub-protocol of the Janus API over WebSocket. */
const PROTOCOL = "janus-protocol";

/** Transports of the endpoint: WebSocket, and WebSocket over TLS. */
export type ConferenceTransport = "ws" | "wss";

const VARIABLES = { ws: "CONFERENCE_WS_PORT", wss: "CONFERENCE_WSS_PORT" } as const;

/** An open endpoint of legacy conference clients. */
export interface ConferenceEndpoint {
  /** The open ports. */
  ports: Partial<Record<ConferenceTransport, number>>;
  /** Accepts no new connections, and closes the open ones with 1012, spread over `windowMs`. */
  drain(windowMs: number): Promise<void>;
  /** Closes the remaining connections, by force where a client does not cooperate. */
  close(): Promise<void>;
}

/** The URLs of the open ports. @param host in URL form */
export function conferenceUrls(
  ports: ConferenceEndpoint["ports"],
  host: string,
): Partial<Record<ConferenceTransport, string>> {
  return Object.fromEntries(
    Object.entries(ports).map(([transport, port]) => [transport, `${transport}://${host}:${port}`]),
  );
}

/** Whether the endpoint needs a certificate. */
export function conferenceNeedsCertificate({
  CONFERENCE_WSS_PORT,
}: Pick<JanusDeps["config"], "CONFERENCE_WSS_PORT">): boolean {
  return CONFERENCE_WSS_PORT !== null;
}

/**
 * Opens the endpoint on HOST, at each port that is not switched off.
 * @param certificate may be null if {@link conferenceNeedsCertificate} returns false
 * @throws Error if a port is in use
 */
export async function openConferenceEndpoint(
  sessions: JanusSessions,
  certificate: LiveCertificate | null,
): Promise<ConferenceEndpoint> {
  const { config } = sessions.deps;
  const preAuth = new PreAuthLimiter(sessions.limits.preAuth);
  const ports: ConferenceEndpoint["ports"] = {};
  const listeners: ListeningPort[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  try {
    for (const transport of ["ws", "wss"] as const) {
      const variable = VARIABLES[transport];
      const port = config[variable];
      if (port === null) continue;
      if (transport === "wss" && !certificate) throw new Error("the certificate is missing");
      const listener = await openPort(
        sessions,
        preAuth,
        { host: config.HOST, port, variable, endpoint: "conference endpoint" },
        transport === "wss" ? certificate : null,
      );
      listeners.push(listener);
      ports[transport] = listener.port;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ports,
    async drain(windowMs) {
      await Promise.all([
        ...listeners.map((listener) => listener.drain(windowMs)),
        sessions.drain(windowMs),
      ]);
    },
    async close() {
      await Promise.all([close(), sessions.close()]);
    },
  };
}

function createHttp(certificate: LiveCertificate | null, handshakeTimeout: number) {
  const options = { connectionsCheckingInterval: 5_000 };
  const refuseHttp = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(426, { connection: "close", upgrade: "websocket" });
    response.end("This is the Janus protocol over WebSocket\n");
  };
  if (!certificate) return createServer(options, refuseHttp);
  const tls = { ...options, ...tlsOptions(certificate.current), handshakeTimeout };
  const server = createTlsServer(tls, refuseHttp);
  certificate.onChange(() => server.setSecureContext(tlsOptions(certificate.current)));
  return server;
}

/** Opens a port for WebSocket, on any path. @param certificate serves TLS unless it is null */
async function openPort(
  sessions: JanusSessions,
  preAuth: PreAuthLimiter,
  address: ListenAddress,
  certificate: LiveCertificate | null,
): Promise<ListeningPort> {
  const { deps, limits } = sessions;
  const { config, log, metrics } = deps;
  const addressOf = clientAddress(config.TRUST_PROXY);
  const isProxy = isWithin(config.TRUST_PROXY);
  const clientIp = (ip: string) => (isProxy(ip) ? null : ip);
  const open = new Set<JanusSocket>();
  const connections = new Set<Socket>();
  /** Releases the pre-authentication slots of connections without a WebSocket yet, by connection key. */
  const handshaking = new Map<string, () => void>();
  let closing = false;

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => PROTOCOL,
  });
  const server = createHttp(certificate, limits.handshakeMs);
  server.headersTimeout = limits.handshakeMs;
  server.on("connection", (socket: Socket) => {
    const key = connectionKey(socket);
    const peer = unmapIpv4(socket.remoteAddress ?? "");
    const release = preAuth.admit(clientIp(peer), () => socket.destroy());
    if (!release) return void socket.destroy();
    connections.add(socket);
    handshaking.set(key, release);
    socket.on("close", () => {
      connections.delete(socket);
      release();
      if (handshaking.get(key) === release) handshaking.delete(key);
    });
  });
  /** @throws Fault if the upgrade must be refused with an HTTP status */
  const checkUpgrade = (request: IncomingMessage, ip: string) => {
    const limited = deps.limits.countRequest(ip);
    if (limited) throw limited;
    deps.admitConnection();
    return refusalOf(request, config.CORS_ORIGINS);
  };
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", (error) => log.debug({ err: error }, "conference handshake failed"));
    const { origin } = request.headers;
    // Determined here, since the callback below lives as long as the client and would retain the request.
    const ip = addressOf(request);
    if (closing) return void socket.destroy();
    try {
      const refusal = checkUpgrade(request, ip);
      if (refusal) return refuse(socket, ...refusal);
    } catch (error) {
      return refuseFault(socket, toFault(error));
    }
    handshaking.get(connectionKey(request.socket))?.();
    const release = preAuth.admit(clientIp(ip), () => socket.destroy());
    if (!release) return refuse(socket, 503, "Too many unauthenticated connections");
    socket.on("close", release);
    sockets.handleUpgrade(request, socket, head, (client) => {
      const connection = new JanusSocket(sessions, client, {
        ip,
        origin,
        onAuthenticated: release,
      });
      open.add(connection);
      metrics.sockets.inc({ protocol: "janus" });
      client.once("close", () => {
        open.delete(connection);
        metrics.sockets.dec({ protocol: "janus" });
      });
    });
  });
  const port = await listen(server, address);
  return {
    port,
    async drain() {
      closing = true;
      server.close();
    },
    async close() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const connection of open) connection.close();
      // Includes connections without a WebSocket, for example in the TLS handshake.
      const forceClose = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, limits.closeMs);
      await closed;
      clearTimeout(forceClose);
    },
  };
}

/** Identifies a connection of one port; a TLS socket and the TCP socket below it have the same key. */
function connectionKey({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Why a handshake is refused; null if it is accepted. */
function refusalOf(
  { headers }: IncomingMessage,
  origins: readonly string[],
): [status: number, text: string] | null {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",");
  if (!offered.some((protocol) => protocol.trim() === PROTOCOL)) {
    return [400, `The sub-protocol must be ${PROTOCOL}`];
  }
  const { origin } = headers;
  if (origin !== undefined && !origins.includes("*") && !origins.includes(origin)) {
    return [403, "This origin is not allowed"];
  }
  return null;
}

function refuseFault(socket: Duplex, fault: Fault): void {
  const retry = fault.retryAfter === undefined ? "" : `Retry-After: ${fault.retryAfter}\r\n`;
  refuse(socket, ERRORS[fault.code].http, fault.message, retry);
}

function refuse(socket: Duplex, status: number, text: string, headers = ""): void {
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}Connection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
