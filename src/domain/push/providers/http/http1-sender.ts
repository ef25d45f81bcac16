import type { Agents } from "../../../../platform/network/agents";
import { type HttpResponse, NoResponse } from "../../../../platform/network/http-response";
import type { ProviderOptions } from "../port/provider-options";
import { tlsContext } from "./http2-sender";
import { RESPONSE_MAX } from "./response";
import { Semaphore, WAIT_FACTOR } from "./semaphore";

/** Maximum number of in-flight requests, in total and per host, so that slow hosts do not block others. */
const SOCKETS_MAX = 256;
const HOST_MAX = 64;

/** A bounded number of connections to hosts that devices name. */
export class Http1Sender {
  private readonly agents: Agents;
  private readonly total: Semaphore;
  private readonly hosts = new Map<string, { semaphore: Semaphore; users: number }>();
  private closed = false;

  /**
   * @param ca additional authority to trust, as PEM
   * @throws Error if it cannot be read
   */
  constructor(
    ca: string | undefined,
    private readonly options: ProviderOptions,
  ) {
    this.agents = options.connector.agents(tlsContext(ca));
    this.total = this.semaphore(Math.min(SOCKETS_MAX, options.inFlightMax));
  }

  /** @throws NoResponse */
  async post(
    url: URL,
    headers: Record<string, string | number>,
    body: Buffer,
  ): Promise<HttpResponse> {
    return this.runForHost(url.host, () =>
      this.total.run(async () => {
        if (this.closed) throw new NoResponse("the connection was closed");
        const { connector, timeoutMs } = this.options;
        const request = {
          method: "POST",
          headers,
          body,
          timeoutMs,
          bodyMax: RESPONSE_MAX,
        } as const;
        return connector.request(url.href, request, this.agents);
      }),
    );
  }

  /** Closes the connections after in-flight requests; later requests get no response. */
  async close(): Promise<void> {
    this.closed = true;
    await this.total.whenIdle();
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private semaphore(max: number): Semaphore {
    return new Semaphore(max, this.options.clock, WAIT_FACTOR * this.options.timeoutMs);
  }

  private async runForHost<T>(name: string, action: () => Promise<T>): Promise<T> {
    const host = this.hosts.get(name) ?? { semaphore: this.semaphore(HOST_MAX), users: 0 };
    this.hosts.set(name, host);
    host.users++;
    try {
      return await host.semaphore.run(action);
    } finally {
      host.users--;
      if (host.users === 0) this.hosts.delete(name);
    }
  }
}
