import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { clientAddress, isLoopback, unmapIpv4 } from "../../../core/client-address";
import { closeGradually } from "../../../core/close-gradually";
import { type ListenAddress, type ListeningPort, listen } from "../../../core/startup/listen";
import { writeText } from "../../../core/text-frame";
import type { LiveCertificate } from "../../../core/tls/certificate";
import { tlsOptions } from "../../../core/tls/pem";
import { attribute, isElement } from "../../../platform/xml/ltx-element";
import { readFrame, XmlStreamError } from "../../../platform/xml/strict-reader";
import { acceptClient, type Endpoint } from "../c2s/c2s";
import type { Stream } from "../stream/stream";
import type { Framing, Transport } from "../stream/transport";

/** XMPP over WebSocket (RFC 7395): one element per text message. */

const FRAMING = "urn:ietf:params:xml:ns:xmpp-framing";

const framing: Framing = {
  isOpen: (element) => isElement(element, "open", FRAMING),
  isClose: (element) => isElement(element, "close", FRAMING),
  open: (domain, id) =>
    `<open xmlns="${FRAMING}"${attribute("from", domain)}${attribute("id", id)} version="1.0" xml:lang="en"/>`,
  // Strophe recognizes the end of the stream by exactly this text.
  close: `<close xmlns="${FRAMING}" />`,
};

class WebSocketTransport implements Transport {
  readonly framing = framing;

  /** @param connection the one below the socket */
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Duplex,
    readonly ip: string,
    readonly origin: string | undefined,
    readonly trusted: boolean,
    readonly onAuthenticated: () => void,
  ) {}

  restart(): void {
    // Nothing to do: each message is parsed separately.
  }
  write(xml: string): void {
    if (this.socket.readyState === this.socket.OPEN) writeText(this.connection, xml);
  }
  backlog(): number {
    return this.socket.bufferedAmount;
  }
  pauseReading(): void {
    this.socket.pause();
  }
  resumeReading(): void {
    this.socket.resume();
  }
  probe(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }
  end(): void {
    // A paused socket would never see the client's part of the closing handshake.
    this.socket.resume();
    this.socket.close(1000);
  }
  abort(): void {
    this.socket.terminate();
  }
}

/** Minimum size of a frame's header, in bytes, so that empty frames count. */
const HEADER_BYTES = 6;

/** Identifies a connection of one port; a TLS socket and the TCP socket below it have the same key. */
const connectionKey = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

function serve(endpoint: Endpoint, socket: WebSocket, transport: Transport): Stream {
  const stream = acceptClient(endpoint, transport);
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    let read = false;
    stream.push(HEADER_BYTES + data.length, () => {
      if (read) return null;
      read = true;
      if (isBinary) throw new XmlStreamError("not-well-formed", "Binary messages are not allowed");
      return readFrame(String(data), stream.maxElementBytes);
    });
  });
  // ws answers pings and disconnects a client that sends many without reading the pongs.
  socket.on("ping", (data) => stream.countBytes(HEADER_BYTES + data.length));
  socket.on("pong", (data) => {
    stream.countBytes(HEADER_BYTES + data.length);
    stream.resetIdleTimeout();
  });
  socket.on("close", () => stream.lost());
  // After an error of its own (invalid UTF-8, a message too large) ws closes the connection.
  socket.on("error", (error) => endpoint.services.log.debug({ err: error }, "chat socket failed"));
  return stream;
}

function refuse(socket: Duplex, status: 400 | 403 | 503, text: string): void {
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const speaksXmpp = (request: IncomingMessage) =>
  (request.headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .some((protocol) => protocol.trim() === "xmpp");

/** Creates an HTTP server, or an HTTPS server that follows changes of its certificate. */
function createHttp(certificate: LiveCertificate | undefined, handshakeTimeout: number) {
  const options = { connectionsCheckingInterval: 5_000 };
  const refuseHttp = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(426, { connection: "close", upgrade: "websocket" });
    response.end("This is XMPP over WebSocket (RFC 7395)\n");
  };
  if (!certificate) return createServer(options, refuseHttp);
  const tls = { ...options, ...tlsOptions(certificate.current), handshakeTimeout };
  const server = createTlsServer(tls, refuseHttp);
  certificate.onChange(() => server.setSecureContext(tlsOptions(certificate.current)));
  return server;
}

/**
 * Opens a port for XMPP over WebSocket, on any path.
 * @param certificate serves TLS if present
 * @throws Error if the port is in use
 */
export async function openWebSocket(
  endpoint: Endpoint,
  listenAddress: ListenAddress,
  certificate?: LiveCertificate,
): Promise<ListeningPort> {
  const { services, limits } = endpoint;
  const { config, log } = services;
  const addressOf = clientAddress(config.TRUST_PROXY);
  const trusted = certificate !== undefined || config.XMPP_TRUSTED_PROXY || isLoopback(config.HOST);
  const anyOrigin = config.CORS_ORIGINS.includes("*");
  const streams = new Map<WebSocket, Stream>();
  const connections = new Set<Socket>();
  /** Releases the pre-authentication slots of connections without a WebSocket yet, by connection key. */
  const handshaking = new Map<string, () => void>();
  const clientIp = (ip: string) => (endpoint.isProxy(ip) ? null : ip);
  let closing = false;

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: config.XMPP_STANZA_LIMIT,
    perMessageDeflate: false,
    handleProtocols: () => "xmpp",
  });
  const server = createHttp(certificate, limits.negotiationMs);
  server.headersTimeout = limits.negotiationMs;
  server.on("connection", (socket: Socket) => {
    const key = connectionKey(socket);
    const peer = unmapIpv4(socket.remoteAddress ?? "");
    const release = endpoint.preAuthLimiter.admit(clientIp(peer), () => socket.destroy());
    if (!release) return void socket.destroy();
    connections.add(socket);
    handshaking.set(key, release);
    socket.on("close", () => {
      connections.delete(socket);
      release();
      if (handshaking.get(key) === release) handshaking.delete(key);
    });
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", (error) => log.debug({ err: error }, "chat handshake failed"));
    const { origin } = request.headers;
    // Determined here, since the callback below lives as long as the client and would retain the request.
    const ip = addressOf(request);
    if (closing) {
      socket.destroy();
      return;
    }
    if (!speaksXmpp(request)) return refuse(socket, 400, "The sub-protocol must be xmpp");
    if (!anyOrigin && origin !== undefined && !config.CORS_ORIGINS.includes(origin)) {
      return refuse(socket, 403, "This origin is not allowed");
    }
    handshaking.get(connectionKey(request.socket))?.();
    const release = endpoint.preAuthLimiter.admit(clientIp(ip), () => socket.destroy());
    if (!release) return refuse(socket, 503, "Too many unauthenticated connections");
    socket.on("close", release);
    sockets.handleUpgrade(request, socket, head, (client) => {
      const transport = new WebSocketTransport(client, socket, ip, origin, trusted, release);
      streams.set(client, serve(endpoint, client, transport));
      client.on("close", () => streams.delete(client));
    });
  });
  const port = await listen(server, listenAddress);
  return {
    port,
    async drain(windowMs) {
      closing = true;
      server.close();
      await closeGradually(streams.values(), windowMs, (stream) => stream.fail("system-shutdown"));
    },
    async close() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const stream of streams.values()) stream.fail("system-shutdown");
      // Includes connections without a stream, for example in the TLS handshake.
      const forceClose = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, limits.closeMs);
      await closed;
      clearTimeout(forceClose);
    },
  };
}
