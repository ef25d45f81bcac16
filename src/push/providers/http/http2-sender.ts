import { X509Certificate } from "node:crypto";
import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Clock } from "../../../core/clock";
import type { Connector } from "../../../network/connector";
import { type HttpResponse, NoResponse } from "../../../network/http-response";
import { http2Request } from "./http2-request";
import { Semaphore, WAIT_FACTOR } from "./semaphore";

/** Interval between keepalive pings. */
const PING_MS = 60_000;

/** Maximum number of sessions for a request that servers report as unprocessed. */
const SESSIONS_MAX = 3;

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

/**
 * Sends POST requests over one persistent HTTP/2 connection, opened with the first request. A closed or
 * unresponsive connection is replaced with the next request. Its in-flight requests get no response, except
 * for those that the server reports as unprocessed: they are retried on the next connection.
 */
export class Http2Sender {
  private current: ClientHttp2Session | null = null;
  private readonly sockets = new Map<ClientHttp2Session, Socket>();
  private readonly semaphore: Semaphore;
  private closed = false;

  constructor(private readonly options: Http2Options) {
    this.semaphore = new Semaphore(
      options.inFlightMax,
      options.clock,
      WAIT_FACTOR * options.timeoutMs,
    );
  }

  /** @throws NoResponse */
  post(headers: OutgoingHttpHeaders, body: string): Promise<HttpResponse> {
    const allHeaders = { ":method": "POST", ...headers };
    return this.semaphore.run(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.sendOnce(allHeaders, body);
        } catch (error) {
          const retryable = error instanceof NoResponse && error.kind === "unprocessed";
          if (!retryable || attempt === SESSIONS_MAX) throw error;
        }
      }
    });
  }

  /** Closes the connection after in-flight requests; later requests get no response. */
  async close(): Promise<void> {
    this.closed = true;
    await this.semaphore.whenIdle();
    for (const socket of this.sockets.values()) socket.destroy();
  }

  private async sendOnce(headers: OutgoingHttpHeaders, body: string): Promise<HttpResponse> {
    if (this.closed) throw new NoResponse("the connection was closed");
    const session = this.session();
    try {
      return await http2Request(session, headers, body, this.options.timeoutMs);
    } catch (error) {
      if (error instanceof NoResponse) this.verify(session, error.kind === "unprocessed");
      throw error;
    }
  }

  private session(): ClientHttp2Session {
    const { current } = this;
    return current && !current.closed && !current.destroyed ? current : this.connect();
  }

  private connect(): ClientHttp2Session {
    const { connector, origin, secureContext } = this.options;
    const { session, socket } = connector.openHttp2(origin, secureContext);
    const pings = setInterval(() => this.ping(session), PING_MS).unref();
    // In-flight requests get the error themselves.
    session.on("error", () => {});
    session.on("goaway", () => this.retire(session));
    session.on("remoteSettings", ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
      this.semaphore.resize(Math.min(this.options.inFlightMax, maxConcurrentStreams));
    });
    socket.on("close", () => {
      clearInterval(pings);
      this.sockets.delete(session);
    });
    this.sockets.set(session, socket);
    this.current = session;
    return session;
  }

  /** Sends no more requests on a session, and destroys it after the timeout of its in-flight requests. */
  private retire(session: ClientHttp2Session): void {
    if (this.current === session) this.current = null;
    session.close();
    // A server may never close its half of the connection.
    const socket = this.sockets.get(session);
    setTimeout(() => socket?.destroy(), 2 * this.options.timeoutMs).unref();
  }

  /** Checks a session after a failed request: retires it if it refuses requests, otherwise pings it. */
  private verify(session: ClientHttp2Session, refuses: boolean): void {
    if (refuses) this.retire(session);
    else if (session.connecting) this.sockets.get(session)?.destroy();
    else this.ping(session);
  }

  private ping(session: ClientHttp2Session): void {
    if (session.closed || session.destroyed) return;
    const timer = setTimeout(() => this.sockets.get(session)?.destroy(), this.options.timeoutMs);
    // Also called with an error when the connection closes, which its requests report.
    if (!session.ping(() => clearTimeout(timer))) clearTimeout(timer);
  }
}
