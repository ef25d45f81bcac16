import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure, type SecureContext } from "node:tls";
import { isPrivateAddress } from "./address";
import { type Agents, guardedAgents } from "./agents";
import { type Answer, connectionFault, Unanswered } from "./answer";
import { checkUrl, hostOf } from "./check-url";
import { type HttpRequest, sendRequest } from "./http-request";
import { askNameServers, guardLookup, privateNetwork, type Resolve } from "./lookup";

/** Where connections may lead. */
export interface ConnectorOptions {
  /** Whether private networks, and http: with them, may be reached: ALLOW_PRIVATE_NETWORKS. */
  allowPrivate?: boolean;
  /** How names are looked up; by asking the system's name servers by default. */
  resolve?: Resolve;
  /** Which addresses are in private networks. */
  isPrivate?(address: string): boolean;
}

/** A session of HTTP/2 and the socket beneath it. */
export interface Http2Connection {
  session: ClientHttp2Session;
  socket: Socket;
}

/**
 * The one way to every address that a client or an application's owner can name: sign-in providers,
 * push services, browsers' push endpoints. An address is checked as text, and once more when it is
 * connected to: each address that its name has at that moment is looked at, and one of these is
 * connected to. No redirect is followed. What the operator configures (database, Redis, mail, chat
 * server) is reached without it.
 */
export class Connector {
  readonly allowPrivate: boolean;
  private readonly lookup: LookupFunction | undefined;
  private readonly isPrivate: (address: string) => boolean;
  private readonly shared: Agents;

  constructor({ allowPrivate = false, resolve, isPrivate }: ConnectorOptions = {}) {
    this.allowPrivate = allowPrivate;
    this.isPrivate = allowPrivate ? () => false : (isPrivate ?? isPrivateAddress);
    // The system's own look-up knows the names of a private network that no name server does.
    this.lookup =
      allowPrivate && !resolve
        ? undefined
        : guardLookup(resolve ?? askNameServers(), this.isPrivate);
    this.shared = this.agents();
  }

  /** What is wrong with an address, as far as its text tells: null, or how it goes on after "it …". */
  check(url: string): string | null {
    return checkUrl(url, this.allowPrivate);
  }

  /**
   * Agents of node:http for connections to these addresses alone, kept alive for some seconds.
   * @param secureContext whom to trust; the usual authorities by default
   */
  agents(secureContext?: SecureContext): Agents {
    const { lookup } = this;
    return guardedAgents({ lookup, secureContext, refuse: (host) => this.refuse(host) });
  }

  /**
   * Sends one request over HTTP/1.1.
   * @param agents whose connections are used; those of this connector's usual ones by default
   * @throws Unanswered
   */
  async request(url: string, request: HttpRequest, agents = this.shared): Promise<Answer> {
    const wrong = this.check(url);
    if (wrong) throw new Unanswered(`the address ${wrong}`, "refused");
    const to = new URL(url);
    return sendRequest(to, request, agents[to.protocol === "http:" ? "http:" : "https:"]);
  }

  /**
   * Begins a session of HTTP/2; without TLS for http:.
   * @param origin scheme, host and port
   * @throws Unanswered
   */
  openHttp2(origin: string, secureContext: SecureContext): Http2Connection {
    const socket = this.open(new URL(origin), secureContext);
    const createConnection = () => socket;
    const session = connectHttp2(origin, { createConnection, settings: { enablePush: false } });
    return { session, socket };
  }

  /** Ends the connections that are idle; those of agents that were asked for are their owners'. */
  close(): void {
    for (const agent of Object.values(this.shared)) agent.destroy();
  }

  private open(url: URL, secureContext: SecureContext): Socket {
    const host = hostOf(url);
    const refused = this.refuse(host);
    if (refused) throw connectionFault(refused);
    const secure = url.protocol === "https:";
    const port = Number(url.port) || (secure ? 443 : 80);
    // Many pushes are smaller than a packet, and none should wait for the next.
    const to = { host, port, lookup: this.lookup, noDelay: true };
    if (!secure) return connectPlain(to);
    const servername = isIP(host) === 0 ? host : undefined;
    return connectSecure({ ...to, servername, secureContext, ALPNProtocols: ["h2"] });
  }

  private refuse(host: string): Error | null {
    return isIP(host) !== 0 && this.isPrivate(host) ? privateNetwork() : null;
  }
}
