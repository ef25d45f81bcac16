import { X509Certificate } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Clock } from "../../../../core/clock";
import type { Connector } from "../../../../platform/network/connector";
import { type HttpResponse, NoResponse } from "../../../../platform/network/http-response";
import { inRequestSpan } from "../../../../platform/network/request-span";
import { type Http2SessionState, http2Request } from "./http2-request";
import { Semaphore, WAIT_FACTOR } from "./semaphore";

/** Interval between keepalive pings. */
const PING_MS = 60_000;

/** Maximum number of attempts to send a request that servers report as unprocessed. */
const ATTEMPTS_MAX = 3;

/** Concurrent streams until the server has announced a limit: what RFC 9113 section 6.5.2 asks of it at least. */
const STREAMS_BEFORE_SETTINGS = 100;
/** The value of a limit that the server has not set (RFC 9113 section 6.5.2). */
const NO_LIMIT = 2 ** 32 - 1;

/**
 * Time without a request after which a connection is verified before the next one, in milliseconds. Firewalls drop
 * idle connections silently.
 */
export const IDLE_MS = 10_000;
/** Timeout of that ping, in milliseconds. */
const IDLE_PING_MS = 2_000;

/** Options of a sender. */
export interface Http2Options {
  /** Scheme, host and port. */
  origin: string;
  /** Trusted authorities and the client certificate. */
  secureContext: SecureContext;
  connector: Connector;
  timeoutMs: number;
  clock: Clock;
  /** Maximum number of in-flight requests, unless the server sets a lower limit; further ones wait. */
  inFlightMax: number;
}

/**
 * Creates a TLS context that trusts an additional authority.
 * @param ca the authority, as PEM
 * @param client client certificate and key, as PEM
 * @throws Error if a certificate or key cannot be read, or they do not match
 */
export function tlsContext(
  ca: string | undefined,
  client: { cert?: string; key?: string; passphrase?: string } = {},
): SecureContext {
  // OpenSSL silently ignores an invalid certificate.
  if (ca) new X509Certificate(ca);
  return createSecureContext({ ...client, ca: ca ? [...rootCertificates, ca] : undefined });
}

/** A connection of the sender. */
interface Connection extends Http2SessionState {
  socket: Socket;
  /** When the last request was sent, in milliseconds since the Unix epoch. */
  usedAt: number;
}

/**
 * Sends POST requests over one persistent HTTP/2 connection, opened with the first request. A closed or
 * unresponsive connection is replaced with the next request. Its in-flight requests get no response, except
 * for those that the server reports as unprocessed: they are sent again, at once, on a connection that accepts them.
 * The limit of concurrent requests that a server announces outlives the connection.
 */
export class Http2Sender {
  private current: Connection | null = null;
  private readonly connections = new Set<Connection>();
  private readonly semaphore: Semaphore;
  /** The last limit of concurrent streams that the server has announced. */
  private streamsMax = STREAMS_BEFORE_SETTINGS;
  private verifying: Promise<void> | null = null;
  private closed = false;
  private readonly url: URL;

  constructor(private readonly options: Http2Options) {
    this.url = new URL(options.origin);
    this.semaphore = new Semaphore(
      Math.min(options.inFlightMax, this.streamsMax),
      options.clock,
      WAIT_FACTOR * options.timeoutMs,
    );
  }

  /** @throws NoResponse */
  async post(headers: OutgoingHttpHeaders, body: string): Promise<HttpResponse> {
    const allHeaders = { ":method": "POST", ...headers };
    for (let attempt = 1; ; attempt++) {
      try {
        // Each attempt waits for its turn: a server that refuses a request has too many.
        return await this.semaphore.run(() => this.sendOnce(allHeaders, body, attempt));
      } catch (error) {
        const retryable = error instanceof NoResponse && error.kind === "unprocessed";
        if (!retryable || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Closes the connection after in-flight requests; later requests get no response. */
  async close(): Promise<void> {
    this.closed = true;
    await this.semaphore.whenIdle();
    for (const { socket } of this.connections) socket.destroy();
  }

  private async sendOnce(
    headers: OutgoingHttpHeaders,
    body: string,
    attempt: number,
  ): Promise<HttpResponse> {
    if (this.current) await this.verifyIdle(this.current);
    if (this.closed) throw new NoResponse("the connection was closed");
    const { current, options } = this;
    const connection = current && isOpen(current) ? current : this.connect();
    connection.usedAt = options.clock.now();
    try {
      return await inRequestSpan("POST", this.url, () =>
        http2Request(connection, headers, body, options.timeoutMs),
      );
    } catch (error) {
      if (error instanceof NoResponse) {
        this.verifyFailed(connection, error.kind === "unprocessed", attempt);
      }
      throw error;
    }
  }

  /** Replaces a connection that was idle and does not answer. Concurrent requests wait for the same answer. */
  private async verifyIdle(connection: Connection): Promise<void> {
    const { clock } = this.options;
    if (isOpen(connection) && clock.now() - connection.usedAt >= IDLE_MS) {
      connection.usedAt = clock.now();
      this.verifying = this.ping(connection, IDLE_PING_MS).finally(() => {
        this.verifying = null;
      });
    }
    await this.verifying;
  }

  private connect(): Connection {
    const { connector, origin, secureContext, clock, timeoutMs, inFlightMax } = this.options;
    const { session, socket } = connector.openHttp2(origin, secureContext);
    const connection: Connection = { session, socket, lastStreamId: null, usedAt: clock.now() };
    const pings = setInterval(() => void this.ping(connection, timeoutMs), PING_MS).unref();
    // In-flight requests get the error themselves.
    session.on("error", () => {});
    session.on("goaway", (_code, lastStreamId) => {
      connection.lastStreamId = lastStreamId;
      this.retire(connection);
    });
    session.on("remoteSettings", ({ maxConcurrentStreams = NO_LIMIT }) => {
      if (maxConcurrentStreams < NO_LIMIT) this.streamsMax = maxConcurrentStreams;
      this.semaphore.resize(Math.min(inFlightMax, this.streamsMax));
    });
    socket.on("close", () => {
      clearInterval(pings);
      this.connections.delete(connection);
    });
    this.connections.add(connection);
    this.current = connection;
    return connection;
  }

  /** Sends no more requests on a connection, and destroys it after the timeout of its in-flight requests. */
  private retire(connection: Connection): void {
    const { session, socket } = connection;
    if (this.current === connection) this.current = null;
    session.close();
    // A server may never close its half of the connection.
    setTimeout(() => socket.destroy(), 2 * this.options.timeoutMs).unref();
  }

  /**
   * Checks a connection after a failed request. One that refuses a request may have too many: it gets no more than it
   * has now, and is retired if it refuses the same request again.
   */
  private verifyFailed(connection: Connection, refused: boolean, attempt: number): void {
    const { session, socket } = connection;
    if (!refused) {
      if (session.connecting) socket.destroy();
      else void this.ping(connection, this.options.timeoutMs);
    } else if (attempt > 1 || !isOpen(connection)) this.retire(connection);
    else this.semaphore.shrink();
  }

  /** Resolves once the server has answered a ping, or the connection, which did not, is destroyed. */
  private ping(connection: Connection, timeoutMs: number): Promise<void> {
    const { session, socket } = connection;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (this.current === connection) this.current = null;
        socket.destroy();
        resolve();
      }, timeoutMs);
      // Also called with an error when the connection closes, which its requests report.
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      if (session.closed || session.destroyed || !session.ping(done)) done();
    });
  }
}

const isOpen = ({ session }: Connection): boolean => !session.closed && !session.destroyed;
