import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Behaviour } from "./behaviour";
import type { Certified } from "./certificates";

/** A received request. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Names of repeated headers. */
  repeated: string[];
  body: Buffer;
  /** Number of the connection, counted from 1 among those with requests. */
  connection: number;
  /** SHA-256 fingerprint of the client's certificate; null without one. */
  certificate: string | null;
}

/** A response. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Server of a stand-in. */
export interface SecureServer {
  /** Scheme, host and port. */
  url: string;
  /** Number of connections so far. */
  connections(): number;
  /** Closes every connection. */
  dropConnections(): void;
  close(): Promise<void>;
}

/** Address and certificate of a server. */
export interface ServerOptions {
  server: Certified;
  authority: string;
  host?: string;
  port?: number;
}

interface Connection {
  number: number;
  certificate: string | null;
  /** Last stream to process after GOAWAY. */
  lastStream: number;
}

/**
 * Starts a server for HTTP/2 and HTTP/1.1.
 * @param handle returns the reply, and the behaviour that delivers it
 */
export async function startSecureServer(
  place: ServerOptions,
  handle: (asked: ReceivedRequest) => { reply: Reply; behaviour?: Behaviour },
): Promise<SecureServer> {
  const host = place.host ?? "127.0.0.1";
  const known = new WeakMap<object, Connection>();
  /** Those below TLS, so that a handshake that never ends cannot hold the server open. */
  const open = new Set<Socket>();
  let connections = 0;
  let numbered = 0;
  const server = createSecureServer(
    {
      key: place.server.privateKey,
      cert: place.server.certificate,
      ca: place.authority,
      // The stand-in itself verifies the client's certificate.
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
      settings: { maxConcurrentStreams: 1000 },
    },
    (request, response) => {
      const key = request.stream?.session ?? request.socket;
      const connection = known.get(key) ?? newConnection(request);
      known.set(key, connection);
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("error", () => {});
      response.on("error", () => {});
      request.on("end", () => {
        // Streams beyond a GOAWAY must not be processed: the client sends them again.
        if ((request.stream?.id ?? 0) > connection.lastStream) return;
        const { reply, behaviour } = handle(
          readRequest(request, Buffer.concat(chunks), connection),
        );
        // Node proxies the socket of HTTP/2, so the real one is found by its port.
        if (behaviour?.kind === "drop") dropConnections(socketOf(request).remotePort);
        else if (behaviour?.kind === "goaway-before") goAway(request, connection, false);
        else {
          perform(response, reply, behaviour);
          if (behaviour?.kind === "goaway") goAway(request, connection, true);
        }
      });
    },
  );
  const newConnection = (request: Http2ServerRequest): Connection => {
    // The socket is missing if the client has already disconnected.
    const peer = socketOf(request).getPeerCertificate?.();
    return { number: ++numbered, certificate: peer?.fingerprint256 ?? null, lastStream: 2 ** 31 };
  };
  server.on("sessionError", () => {});
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  server.on("secureConnection", (socket) => {
    connections++;
    socket.on("error", () => {});
  });
  const dropConnections = (port?: number) => {
    for (const socket of open)
      if (port === undefined || socket.remotePort === port) socket.destroy();
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    connections: () => connections,
    dropConnections: () => dropConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropConnections();
      }),
  };
}

const socketOf = (request: Http2ServerRequest) =>
  (request.stream?.session?.socket ?? request.socket) as TLSSocket;

function readRequest(
  request: Http2ServerRequest,
  body: Buffer,
  connection: Connection,
): ReceivedRequest {
  const headers: Record<string, string> = {};
  const repeated: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]!.toLowerCase();
    if (name in headers) repeated.push(name);
    headers[name] = request.rawHeaders[index + 1]!;
  }
  const { number, certificate } = connection;
  const { method, url: path } = request;
  return { method, path, headers, repeated, body, connection: number, certificate };
}

function perform(
  response: Http2ServerResponse,
  reply: Reply,
  behaviour: Behaviour = { kind: "ok" },
): void {
  const respond = ({ status, headers, body }: Reply) => {
    if (response.destroyed) return;
    // HTTP/1.1 has no GOAWAY; a header closes the connection.
    const ending = behaviour.kind === "goaway" && response.req.httpVersionMajor === 1;
    response.writeHead(status, ending ? { ...headers, connection: "close" } : headers);
    response.end(body ?? "");
  };
  if (behaviour.kind === "raw") respond(behaviour);
  else if (behaviour.kind === "slow") setTimeout(() => respond(reply), behaviour.ms).unref();
  else if (behaviour.kind !== "silent") respond(reply);
}

/** Sends GOAWAY, excluding requests after this one, or with `after` false this one as well. */
function goAway({ stream }: Http2ServerRequest, connection: Connection, after: boolean): void {
  if (!stream?.session) return;
  const { id = 0, session } = stream;
  connection.lastStream = Math.min(connection.lastStream, after ? id : id - 1);
  session.goaway(constants.NGHTTP2_NO_ERROR, id, SHUTDOWN);
  if (!after) stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

const SHUTDOWN = Buffer.from(JSON.stringify({ reason: "Shutdown" }));
