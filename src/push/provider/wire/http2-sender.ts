import { X509Certificate } from "node:crypto";
import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Clock } from "../../../core/clock";
import { type Answer, Unanswered } from "../../../network/answer";
import type { Connector } from "../../../network/connector";
import { Gate, WAITS } from "./gate";
import { exchange } from "./http2-exchange";

/** How often the server is asked whether the connection still lives. */
const PING_MS = 60_000;

/** Sessions on which one request is tried at most, where each says that it did not begin with it. */
const SESSIONS_MAX = 3;

/** Where the requests of one sender go, and how. */
export interface Http2Options {
  /** Scheme, host and port. */
  origin: string;
  /** Certificates: whom to trust, and of the client itself. */
  secureContext: SecureContext;
  connector: Connector;
  timeoutMs: number;
  clock: Clock;
  /** Requests under way at once at most, or less where the server wants less; further ones wait. */
  inFlightMax: number;
}

/**
 * A TLS context that trusts one authority more than usual, where one is given as PEM.
 * @throws Error when a certificate or key cannot be read, or they do not belong together
 */
export function trusting(
  ca: string | undefined,
  own: { cert?: string; key?: string; passphrase?: string } = {},
): SecureContext {
  // OpenSSL takes what is no certificate without a word.
  if (ca) new X509Certificate(ca);
  return createSecureContext({ ...own, ca: ca ? [...rootCertificates, ca] : undefined });
}

/**
 * Posts over one HTTP/2 connection, which is opened with the first request and kept. One that ends,
 * or that no longer answers, is replaced with the next request; what was under way on it is
 * unanswered, except for requests that the server says it did not begin with: those go to the next.
 */
export class Http2Sender {
  private current: ClientHttp2Session | null = null;
  private readonly sockets = new Map<ClientHttp2Session, Socket>();
  private readonly gate: Gate;
  private closed = false;

  constructor(private readonly options: Http2Options) {
    this.gate = new Gate(options.inFlightMax, options.clock, WAITS * options.timeoutMs);
  }

  /** @throws Unanswered */
  post(headers: OutgoingHttpHeaders, body: string): Promise<Answer> {
    const request = { ":method": "POST", ...headers };
    return this.gate.pass(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await this.sendOnce(request, body);
        } catch (error) {
          const again = error instanceof Unanswered && error.fault === "unprocessed";
          if (!again || tries === SESSIONS_MAX) throw error;
        }
      }
    });
  }

  /** Ends the connection after what is under way; what comes later is unanswered. */
  async close(): Promise<void> {
    this.closed = true;
    await this.gate.emptied();
    for (const socket of this.sockets.values()) socket.destroy();
  }

  private async sendOnce(headers: OutgoingHttpHeaders, body: string): Promise<Answer> {
    if (this.closed) throw new Unanswered("the connection was closed");
    const session = this.session();
    try {
      return await exchange(session, headers, body, this.options.timeoutMs);
    } catch (error) {
      if (error instanceof Unanswered) this.doubt(session, error.fault === "unprocessed");
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
    // The requests that were under way hear of it themselves.
    session.on("error", () => {});
    session.on("goaway", () => this.leave(session));
    session.on("remoteSettings", ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
      this.gate.resize(Math.min(this.options.inFlightMax, maxConcurrentStreams));
    });
    socket.on("close", () => {
      clearInterval(pings);
      this.sockets.delete(session);
    });
    this.sockets.set(session, socket);
    this.current = session;
    return session;
  }

  /** Takes no more requests to a session, and ends it once those on it have had their time. */
  private leave(session: ClientHttp2Session): void {
    if (this.current === session) this.current = null;
    session.close();
    // A server may keep its half of the connection open for ever.
    const socket = this.sockets.get(session);
    setTimeout(() => socket?.destroy(), 2 * this.options.timeoutMs).unref();
  }

  /** Leaves a session that refuses, and asks one that kept silent whether it still lives. */
  private doubt(session: ClientHttp2Session, refuses: boolean): void {
    if (refuses) this.leave(session);
    else if (session.connecting) this.sockets.get(session)?.destroy();
    else this.ping(session);
  }

  private ping(session: ClientHttp2Session): void {
    if (session.closed || session.destroyed) return;
    const silent = setTimeout(() => this.sockets.get(session)?.destroy(), this.options.timeoutMs);
    // A connection that ends calls back as well, with an error that its requests have met.
    if (!session.ping(() => clearTimeout(silent))) clearTimeout(silent);
  }
}
