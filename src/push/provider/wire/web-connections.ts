import { Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { Duplex } from "node:stream";
import type { ProviderOptions } from "../provider-options";
import { type Answer, Unanswered } from "./answer";
import { Gate, WAITS } from "./gate";
import { postOnce } from "./http1-exchange";
import { trusting } from "./http2-sender";
import { guardLookup } from "./private-networks";

/** Requests under way at once, in all and to one host: slow hosts leave room for the others. */
const SOCKETS_MAX = 256;
const HOST_MAX = 64;

/** Connections that are kept without a request, and for how long. */
const IDLE_MAX = 64;
const IDLE_MS = 10_000;

/**
 * Connections to hosts that devices name. Whatever these do, their number is bounded, and none leads
 * into a private network unless that is allowed.
 */
export class WebConnections {
  private readonly agents: { "https:": SecureAgent; "http:": PlainAgent };
  private readonly total: Gate;
  private readonly hosts = new Map<string, { gate: Gate; users: number }>();
  private closed = false;

  /**
   * @param ca further authority to trust, as PEM
   * @throws Error when it cannot be read
   */
  constructor(
    ca: string | undefined,
    private readonly options: ProviderOptions,
  ) {
    const { allowPrivateNetworks, resolve, inFlightMax } = options;
    const lookup = allowPrivateNetworks ? undefined : guardLookup(resolve);
    const kept = { keepAlive: true, timeout: IDLE_MS, lookup, noDelay: true };
    this.agents = {
      "https:": keepFew(new SecureAgent({ ...kept, secureContext: trusting(ca) })),
      "http:": keepFew(new PlainAgent(kept)),
    };
    this.total = this.gate(Math.min(SOCKETS_MAX, inFlightMax));
  }

  /** @throws Unanswered */
  async post(url: URL, headers: Record<string, string | number>, body: Buffer): Promise<Answer> {
    return this.passHost(url.host, () =>
      this.total.pass(async () => {
        if (this.closed) throw new Unanswered("the connection was closed");
        const agent = this.agents[url.protocol === "http:" ? "http:" : "https:"];
        return postOnce(url, headers, body, agent, this.options.timeoutMs);
      }),
    );
  }

  /** Ends the connections after what is under way; what comes later is unanswered. */
  async close(): Promise<void> {
    this.closed = true;
    await this.total.emptied();
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private gate(max: number): Gate {
    return new Gate(max, this.options.clock, WAITS * this.options.timeoutMs);
  }

  private async passHost<T>(name: string, run: () => Promise<T>): Promise<T> {
    const host = this.hosts.get(name) ?? { gate: this.gate(HOST_MAX), users: 0 };
    this.hosts.set(name, host);
    host.users++;
    try {
      return await host.gate.pass(run);
    } finally {
      host.users--;
      if (host.users === 0) this.hosts.delete(name);
    }
  }
}

/** Has an agent keep no more idle connections than a few: by itself it knows a bound per host alone. */
function keepFew<A extends PlainAgent>(agent: A): A {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  // False ends the connection (nodejs.org "agent.keepSocketAlive").
  agent.keepSocketAlive = (socket: Duplex): boolean => {
    const idle = Object.values(agent.freeSockets).reduce(
      (sum, list) => sum + (list?.length ?? 0),
      0,
    );
    return idle < IDLE_MAX && keep(socket);
  };
  return agent;
}
