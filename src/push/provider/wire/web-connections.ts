import type { Agents } from "../../../network/agents";
import { type Answer, Unanswered } from "../../../network/answer";
import type { ProviderOptions } from "../provider-options";
import { ANSWER_MAX } from "./answer";
import { Gate, WAITS } from "./gate";
import { trusting } from "./http2-sender";

/** Requests under way at once, in all and to one host: slow hosts leave room for the others. */
const SOCKETS_MAX = 256;
const HOST_MAX = 64;

/** Connections to hosts that devices name: whatever these do, their number is bounded. */
export class WebConnections {
  private readonly agents: Agents;
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
    this.agents = options.connector.agents(trusting(ca));
    this.total = this.gate(Math.min(SOCKETS_MAX, options.inFlightMax));
  }

  /** @throws Unanswered */
  async post(url: URL, headers: Record<string, string | number>, body: Buffer): Promise<Answer> {
    return this.passHost(url.host, () =>
      this.total.pass(async () => {
        if (this.closed) throw new Unanswered("the connection was closed");
        const { connector, timeoutMs } = this.options;
        const request = { method: "POST", headers, body, timeoutMs, bodyMax: ANSWER_MAX } as const;
        return connector.request(url.href, request, this.agents);
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
