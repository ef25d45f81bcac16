import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Behaviour } from "./behaviour";
import type { Certified } from "./certificates";

/** A request as it came. */
export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Names of headers that came more than once. */
  repeated: string[];
  body: Buffer;
  /** Which of the connections that asked anything, counted from 1. */
  connection: number;
  /** SHA-256 of the client's certificate, if it showed one. */
  certificate: string | null;
}

/** An answer. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A server of a stand-in. */
export interface SecureServer {
  /** Scheme, host and port. */
  url: string;
  /** Connections so far. */
  connections(): number;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Where a server listens, and with which certificate. */
export interface ServerPlace {
  server: Certified;
  authority: string;
  host?: string;
  port?: number;
}

interface Connection {
  number: number;
  certificate: string | null;
  /** The last stream that is answered, once the connection was told to end. */
  lastStream: number;
}

/**
 * Starts a server that speaks HTTP/2, and HTTP/1.1 with those who ask for it.
 * @param handle decides on the answer, and on how it is given
 */
export async function startSecureServer(
  place: ServerPlace,
  handle: (asked: Asked) => { reply: Reply; behaviour?: Behaviour },
): Promise<SecureServer> {
  const host = place.host ?? "127.0.0.1";
  const known = new WeakMap<object, Connection>();
  const open = new Map<number | undefined, TLSSocket>();
  let connections = 0;
  let asking = 0;
  const server = createSecureServer(
    {
      key: place.server.privateKey,
      cert: place.server.certificate,
      ca: place.authority,
      // Whom a client's certificate is of, the stand-in looks at itself.
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
        // What a GOAWAY leaves out must never be processed: the client sends it again.
        if ((request.stream?.id ?? 0) > connection.lastStream) return;
        const { reply, behaviour } = handle(
          readRequest(request, Buffer.concat(chunks), connection),
        );
        // Node keeps the socket of HTTP/2 to itself, but for its numbers.
        if (behaviour?.kind === "drop") open.get(socketOf(request).remotePort)?.destroy();
        else if (behaviour?.kind === "goaway-before") leave(request, connection, false);
        else {
          perform(response, reply, behaviour);
          if (behaviour?.kind === "goaway") leave(request, connection, true);
        }
      });
    },
  );
  const newConnection = (request: Http2ServerRequest): Connection => {
    // A client that dies takes the socket along.
    const peer = socketOf(request).getPeerCertificate?.();
    return { number: ++asking, certificate: peer?.fingerprint256 ?? null, lastStream: 2 ** 31 };
  };
  server.on("sessionError", () => {});
  server.on("secureConnection", (socket) => {
    connections++;
    const { remotePort } = socket;
    open.set(remotePort, socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(remotePort));
  });
  const cut = () => {
    for (const socket of open.values()) socket.destroy();
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    connections: () => connections,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

const socketOf = (request: Http2ServerRequest) =>
  (request.stream?.session?.socket ?? request.socket) as TLSSocket;

function readRequest(request: Http2ServerRequest, body: Buffer, connection: Connection): Asked {
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
  const give = ({ status, headers, body }: Reply) => {
    if (response.destroyed) return;
    // Without HTTP/2 a connection is told to end by a header.
    const ending = behaviour.kind === "goaway" && response.req.httpVersionMajor === 1;
    response.writeHead(status, ending ? { ...headers, connection: "close" } : headers);
    response.end(body ?? "");
  };
  if (behaviour.kind === "raw") give(behaviour);
  else if (behaviour.kind === "slow") setTimeout(() => give(reply), behaviour.ms).unref();
  else if (behaviour.kind !== "silent") give(reply);
}

/** Tells the client to go elsewhere with what it sends after this request, or from this one on. */
function leave({ stream }: Http2ServerRequest, connection: Connection, after: boolean): void {
  if (!stream?.session) return;
  const { id = 0, session } = stream;
  connection.lastStream = Math.min(connection.lastStream, after ? id : id - 1);
  session.goaway(constants.NGHTTP2_NO_ERROR, id, LEAVING);
  if (!after) stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

const LEAVING = Buffer.from(JSON.stringify({ reason: "Shutdown" }));
