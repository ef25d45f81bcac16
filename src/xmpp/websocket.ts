import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { clientAddress, isLoopback } from "../core/client-address";
import { acceptClient, type Endpoint } from "./c2s";
import { attribute, isElement } from "./element";
import { SignInThrottle } from "./sasl";
import type { ChatLimits, ChatServices } from "./services";
import type { Framing, Stream, Transport } from "./stream";
import { readFrame, XmlRefusal } from "./xml";

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
  ) {}

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

const LIMITS: Omit<ChatLimits, "idleMs"> = {
  negotiationMs: 10_000,
  closeMs: 2_000,
  backlogBytes: 1_048_576,
  queue: 32,
  failures: 5,
  failureMs: 250,
};

function serve(endpoint: Endpoint, socket: WebSocket, transport: Transport): Stream {
  const stream = acceptClient(endpoint, transport);
  socket.on("message", (data: RawData, isBinary: boolean) => {
    stream.push(() => {
      if (isBinary) throw new XmlRefusal("not-well-formed", "Messages are text");
      return readFrame(String(data), stream.bytes);
    });
  });
  socket.on("pong", () => stream.alive());
  socket.on("close", () => stream.lost());
  // What ws refuses itself (bad UTF-8, a message too large) it also closes itself.
  socket.on("error", (error) => endpoint.services.log.debug({ err: error }, "chat socket failed"));
  return stream;
}

function refuse(socket: Duplex, status: 400 | 403, text: string): void {
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const speaksXmpp = (request: IncomingMessage) =>
  (request.headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .some((protocol) => protocol.trim() === "xmpp");

/**
 * Opens the chat endpoint on HOST and XMPP_WS_PORT, any path.
 * @returns the port, and how to close: streams end with `system-shutdown`, and what has not ended
 *   after the limit of a closing stream is cut
 * @throws when the port is taken
 */
export async function openChat(
  services: ChatServices,
): Promise<{ port: number; close(): Promise<void> }> {
  const { config, log } = services;
  const limits = {
    ...LIMITS,
    idleMs: config.XMPP_IDLE_SECONDS * 1000,
    ...services.limits,
  };
  const throttle = new SignInThrottle(limits.failureMs);
  const endpoint = { services, limits, throttle, openedAt: services.clock.now() };
  const addressOf = clientAddress(config.TRUST_PROXY);
  const trusted = config.XMPP_TRUSTED_PROXY || isLoopback(config.HOST);
  const anyOrigin = config.CORS_ORIGINS.includes("*");
  const streams = new Map<WebSocket, Stream>();
  let closing = false;

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: config.XMPP_STANZA_LIMIT,
    perMessageDeflate: false,
    handleProtocols: () => "xmpp",
  });
  const server = createServer({ connectionsCheckingInterval: 5_000 }, (_request, response) => {
    response.writeHead(426, { connection: "close", upgrade: "websocket" });
    response.end("This is XMPP over WebSocket (RFC 7395)\n");
  });
  server.headersTimeout = limits.negotiationMs;
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", (error) => log.debug({ err: error }, "chat handshake failed"));
    const { origin } = request.headers;
    if (closing) {
      socket.destroy();
      return;
    }
    if (!speaksXmpp(request)) return refuse(socket, 400, "The sub-protocol is xmpp");
    if (!anyOrigin && origin !== undefined && !config.CORS_ORIGINS.includes(origin)) {
      return refuse(socket, 403, "This origin is not allowed");
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const transport = new WebSocketTransport(client, addressOf(request), origin, trusted);
      streams.set(client, serve(endpoint, client, transport));
      client.on("close", () => streams.delete(client));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.XMPP_WS_PORT, config.HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const stream of streams.values()) stream.fail("system-shutdown");
      await closed;
    },
  };
}
