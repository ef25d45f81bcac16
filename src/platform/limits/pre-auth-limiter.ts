import { networkOf } from "../../core/client-address";

/** Maximum number of unauthenticated connections, per network and in total. */
export interface PreAuthLimits {
  perNetwork: number;
  total: number;
}

interface PendingConnection {
  network: string | null;
  /** Closes the connection immediately. */
  end: () => void;
}

/**
 * Limits the unauthenticated connections of one endpoint, over all its ports. Honest clients authenticate
 * within moments, so the limit is on concurrent connections, not on their rate.
 */
export class PreAuthLimiter {
  private readonly perNetwork = new Map<string, number>();
  /** In order of arrival. */
  private readonly pending = new Set<PendingConnection>();

  constructor(private readonly limits: PreAuthLimits) {}

  /**
   * Admits a connection. Beyond the total limit it closes the oldest one, so that a flood evicts its own
   * connections while new clients can still authenticate.
   * @param ip null for an address that is known to be shared, such as a load balancer's; it counts for no
   * network
   * @param end closes the connection immediately
   * @returns a function to call once the connection has authenticated or closed; null if its network is at
   * the limit
   */
  admit(ip: string | null, end: () => void): (() => void) | null {
    const { perNetwork, total } = this.limits;
    const network = ip === null ? null : networkOf(ip);
    if (network !== null) {
      const others = this.perNetwork.get(network) ?? 0;
      if (others >= perNetwork) return null;
      this.perNetwork.set(network, others + 1);
    }
    const connection: PendingConnection = { network, end };
    this.pending.add(connection);
    const [oldest] = this.pending;
    if (oldest && this.pending.size > total) {
      this.leave(oldest);
      oldest.end();
    }
    return () => this.leave(connection);
  }

  private leave(connection: PendingConnection): void {
    if (!this.pending.delete(connection) || connection.network === null) return;
    const others = (this.perNetwork.get(connection.network) ?? 1) - 1;
    if (others > 0) this.perNetwork.set(connection.network, others);
    else this.perNetwork.delete(connection.network);
  }
}
