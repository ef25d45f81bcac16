import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure, type SecureContext } from "node:tls";
import { type Agents, openGuardedAgents } from "./agents";
import { checkUrl, hostOfUrl } from "./check-url";
import { type HttpRequest, sendRequest } from "./http-request";
import { describeConnectionError, type HttpResponse, NoResponse } from "./http-response";
import { dnsResolver, guardedLookup, privateNetworkError, type Resolve } from "./lookup";
import { isPrivateAddress } from "./private-address";
import { inRequestSpan } from "./request-span";

/** Options of {@link Connector}. */
export interface ConnectorOptions {
  /** Whether private networks and http: are allowed: ALLOW_PRIVATE_NETWORKS. */
  allowPrivate?: boolean;
  /** Resolves names; by default with the system's name servers. */
  resolve?: Resolve;
  /** Whether an address is private; {@link isPrivateAddress} by default. */
  isPrivate?(address: string): boolean;
}

/** An HTTP/2 session and its socket. */
export interface Http2Connection {
  session: ClientHttp2Session;
  socket: Socket;
}

/**
 * Connects to URLs that clients or application owners configure (sign-in providers, push services, browsers'
 * push endpoints), guarded against server-side request forgery. The text of a URL is checked first. Each
 * connection then resolves the host name, checks all its addresses, and connects to one of these, which
 * defeats DNS rebinding. Redirects are not followed. Servers that the operator configures (database, Redis,
 * mail, chat server) are connected without it.
 */
export class Connector {
  readonly allowPrivate: boolean;
  private readonly lookup: LookupFunction | undefined;
  private readonly isPrivate: (address: string) => boolean;
  private readonly shared: Agents;

  constructor({ allowPrivate = false, resolve, isPrivate }: ConnectorOptions = {}) {
    this.allowPrivate = allowPrivate;
    this.isPrivate = allowPrivate ? () => false : (isPrivate ?? isPrivateAddress);
    // The system resolver also knows names of a private network that are in no DNS server.
    this.lookup =
      allowPrivate && !resolve
        ? undefined
        : guardedLookup(resolve ?? dnsResolver(), this.isPrivate);
    this.shared = this.agents();
  }

  /** Checks the text of a URL. @returns null, or the problem, in words that follow a subject ("must be …") */
  check(url: string): string | null {
    return checkUrl(url, this.allowPrivate);
  }

  /**
   * Agents of node:http and node:https whose connections are checked and kept alive for some seconds.
   * @param secureContext the trusted authorities; the default ones of Node if omitted
   */
  agents(secureContext?: SecureContext): Agents {
    const { lookup } = this;
    return openGuardedAgents({
      lookup,
      secureContext,
      rejectHost: (host) => this.rejectPrivate(host),
    });
  }

  /**
   * Sends one request over HTTP/1.1.
   * @param agents the connections to use; this connector's shared agents by default
   * @throws NoResponse
   */
  async request(url: string, request: HttpRequest, agents = this.shared): Promise<HttpResponse> {
    const problem = this.check(url);
    if (problem) throw new NoResponse(`the address ${problem}`, "refused");
    const target = new URL(url);
    const agent = agents[target.protocol === "http:" ? "http:" : "https:"];
    return inRequestSpan(request.method, null, () => sendRequest(target, request, agent));
  }

  /**
   * Opens an HTTP/2 session, without TLS for http:.
   * @param origin scheme, host and port
   * @throws NoResponse
   */
  openHttp2(origin: string, secureContext: SecureContext): Http2Connection {
    const socket = this.open(new URL(origin), secureContext);
    const createConnection = () => socket;
    const session = connectHttp2(origin, { createConnection, settings: { enablePush: false } });
    return { session, socket };
  }

  /** Closes the shared agents. Agents from {@link agents} are closed by their owners. */
  close(): void {
    for (const agent of Object.values(this.shared)) agent.destroy();
  }

  private open(url: URL, secureContext: SecureContext): Socket {
    const host = hostOfUrl(url);
    const error = this.rejectPrivate(host);
    if (error) throw describeConnectionError(error);
    const secure = url.protocol === "https:";
    const port = Number(url.port) || (secure ? 443 : 80);
    // Most pushes fit into one packet, and Nagle's algorithm would delay them.
    const options = { host, port, lookup: this.lookup, noDelay: true };
    if (!secure) return connectPlain(options);
    const servername = isIP(host) === 0 ? host : undefined;
    return connectSecure({ ...options, servername, secureContext, ALPNProtocols: ["h2"] });
  }

  private rejectPrivate(host: string): Error | null {
    return isIP(host) !== 0 && this.isPrivate(host) ? privateNetworkError() : null;
  }
}
