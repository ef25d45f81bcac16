import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { clientAddress, isLoopback, plainAddress } from "../../core/client-address";
import { spread } from "../../core/spread";
import type { LiveCertificate } from "../../core/tls/certificate";
import { tlsOptions } from "../../core/tls/pem";
import { acceptClient, type Endpoint } from "../c2s";
import { attribute, isElement } from "../element";
import type { Stream } from "../stream";
import { readFrame, XmlRefusal } from "../xml";
import { type Listener, listen, type Place } from "./listen";
import type { Framing, Transport } from "./transport";

/** XMPP over WebSocket (RFC 7395): one text message, one element. */

const FRAMING = "urn:ietf:params:xml:ns:xmpp-framing";

const framing: Framing = {
  isOpen: (element) => isElement(element, "open", FRAMING),
  isClose: (element) => isElement(element, "close", FRAMING),
  open: (domain, id) =>
    `<open xmlns="${FRAMING}"${attribute("from", domain)}${attribute("id", id)} version="1.0" xml:lang="en"/>`,
  // Strophe knows the end by exactly this text.
  close: `<close xmlns="${FRAMING}" />`,
};

class WebSocketTransport implements Transport {
  readonly framing = framing;

  constructor(
    private readonly socket: WebSocket,
    readonly ip: string,
    readonly origin: string | undefined,
    readonly trusted: boolean,
    readonly admitted: () => void,
  ) {}

  restart(): void {
    // Each message is read by itself.
  }
  write(xml: string): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(xml);
  }
  backlog(): number {
    return this.socket.bufferedAmount;
  }
  hold(): void {
    this.socket.pause();
  }
  release(): void {
    this.socket.resume();
  }
  probe(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }
  end(): void {
    // A held socket would never see the client's answer to the closing handshake.
    this.socket.resume();
    this.socket.close(1000);
  }
  abort(): void {
    this.socket.terminate();
  }
}

/** Bytes of a frame's head at least, so that an empty one counts. */
const HEAD_BYTES = 6;

/** Both ends of a connection, by which what TLS stands on is told among all of a port. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

function serve(endpoint: Endpoint, socket: WebSocket, transport: Transport): Stream {
  const stream = acceptClient(endpoint, transport);
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    let read = false;
    stream.push(HEAD_BYTES + data.length, () => {
      if (read) return null;
      read = true;
      if (isBinary) throw new XmlRefusal("not-well-formed", "Messages are text");
      return readFrame(String(data), stream.bytes);
    });
  });
  // Answered by ws, which ends who asks and asks and does not read.
  socket.on("ping", (data) => stream.count(HEAD_BYTES + data.length));
  socket.on("pong", (data) => {
    stream.count(HEAD_BYTES + data.length);
    stream.alive();
  });
  socket.on("close", () => stream.lost());
  // What ws refuses itself (bad UTF-8, a message too large) it also closes itself.
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

/** An HTTP server, or one for HTTPS whose certificate may change. */
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
 * Opens a port for XMPP over WebSocket, any path.
 * @param certificate for a port inside TLS
 * @throws Error when the port is taken
 */
export async function openWebSocket(
  endpoint: Endpoint,
  place: Place,
  certificate?: LiveCertificate,
): Promise<Listener> {
  const { services, limits } = endpoint;
  const { config, log } = services;
  const addressOf = clientAddress(config.TRUST_PROXY);
  const trusted = certificate !== undefined || config.XMPP_TRUSTED_PROXY || isLoopback(config.HOST);
  const anyOrigin = config.CORS_ORIGINS.includes("*");
  const streams = new Map<WebSocket, Stream>();
  const connections = new Set<Socket>();
  /** How those leave the doorstep who have not come as far as a stream. */
  const arriving = new Map<string, () => void>();
  const known = (ip: string) => (endpoint.isProxy(ip) ? null : ip);
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
    const ends = endsOf(socket);
    const peer = plainAddress(socket.remoteAddress ?? "");
    const leave = endpoint.doorstep.enter(known(peer), () => socket.destroy());
    if (!leave) return void socket.destroy();
    connections.add(socket);
    arriving.set(ends, leave);
    socket.on("close", () => {
      connections.delete(socket);
      leave();
      if (arriving.get(ends) === leave) arriving.delete(ends);
    });
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", (error) => log.debug({ err: error }, "chat handshake failed"));
    const { origin } = request.headers;
    // Not asked for below: what stays with the client would hold the request as long as it stays.
    const ip = addressOf(request);
    if (closing) {
      socket.destroy();
      return;
    }
    if (!speaksXmpp(request)) return refuse(socket, 400, "The sub-protocol is xmpp");
    if (!anyOrigin && origin !== undefined && !config.CORS_ORIGINS.includes(origin)) {
      return refuse(socket, 403, "This origin is not allowed");
    }
    arriving.get(endsOf(request.socket))?.();
    const leave = endpoint.doorstep.enter(known(ip), () => socket.destroy());
    if (!leave) return refuse(socket, 503, "Too many sign in from there");
    socket.on("close", leave);
    sockets.handleUpgrade(request, socket, head, (client) => {
      const transport = new WebSocketTransport(client, ip, origin, trusted, leave);
      streams.set(client, serve(endpoint, client, transport));
      client.on("close", () => streams.delete(client));
    });
  });
  const port = await listen(server, place);
  return {
    port,
    async drain(windowMs) {
      closing = true;
      server.close();
      await spread(streams.values(), windowMs, (stream) => stream.fail("system-shutdown"));
    },
    async close() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const stream of streams.values()) stream.fail("system-shutdown");
      // Also those that have not come as far as a stream, as in the handshake of TLS.
      const cut = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, limits.closeMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
