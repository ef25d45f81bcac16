import { networkOf } from "../core/client-address";

/** How many connections may wait to authenticate: of one network, and of all. */
export interface PreAuthLimits {
  perNetwork: number;
  inAll: number;
}

interface PendingConnection {
  network: string | null;
  /** Ends the connection at once. */
  end: () => void;
}

/**
 * The connections of one endpoint that have not authenticated, over all its ports. Honest ones stay for
 * moments, so what is counted is how many there are at once, not how often they come.
 */
export class PreAuthLimiter {
  readonly #perNetwork = new Map<string, number>();
  /** In the order they came. */
  readonly #pending = new Set<PendingConnection>();

  constructor(private readonly limits: PreAuthLimits) {}

  /**
   * Takes a connection in. When there are too many in all, the one that has waited longest is ended:
   * whoever floods the port loses what it holds, and who comes to authenticate is served.
   * @param ip null for what is known to be shared, as a balancer's, and counts for no network
   * @param end ends the connection at once
   * @returns what to call once it has authenticated or is gone; null when its network has too many
   */
  enter(ip: string | null, end: () => void): (() => void) | null {
    const { perNetwork, inAll } = this.limits;
    const network = ip === null ? null : networkOf(ip);
    if (network !== null) {
      const others = this.#perNetwork.get(network) ?? 0;
      if (others >= perNetwork) return null;
      this.#perNetwork.set(network, others + 1);
    }
    const connection: PendingConnection = { network, end };
    this.#pending.add(connection);
    const [oldest] = this.#pending;
    if (oldest && this.#pending.size > inAll) {
      this.#leave(oldest);
      oldest.end();
    }
    return () => this.#leave(connection);
  }

  #leave(connection: PendingConnection): void {
    if (!this.#pending.delete(connection) || connection.network === null) return;
    const others = (this.#perNetwork.get(connection.network) ?? 1) - 1;
    if (others > 0) this.#perNetwork.set(connection.network, others);
    else this.#perNetwork.delete(connection.network);
  }
}
