import { networkOf } from "../../core/client-address";

/** Bounds of the connections that have not signed in. */
export interface DoorstepLimits {
  /** How many of one network, and of all. */
  atTheDoor: { perNetwork: number; inAll: number };
}

interface Guest {
  network: string | null;
  /** Ends the connection at once. */
  end: () => void;
}

/**
 * The connections of one endpoint that have not signed in, over all its ports. Honest ones stay for
 * moments, so what is counted is how many there are at once, not how often they come.
 */
export class Doorstep {
  readonly #perNetwork = new Map<string, number>();
  /** In the order they came. */
  readonly #guests = new Set<Guest>();

  constructor(private readonly limits: DoorstepLimits) {}

  /**
   * Takes a connection in. When there are too many in all, the one that has waited longest is ended:
   * whoever floods the port loses what it holds, and who comes to sign in is served.
   * @param ip null for what is known to be shared, as a balancer's, and counts for no network
   * @param end ends the connection at once
   * @returns what to call once it has signed in or is gone; null when its network has too many
   */
  enter(ip: string | null, end: () => void): (() => void) | null {
    const { perNetwork, inAll } = this.limits.atTheDoor;
    const network = ip === null ? null : networkOf(ip);
    if (network !== null) {
      const others = this.#perNetwork.get(network) ?? 0;
      if (others >= perNetwork) return null;
      this.#perNetwork.set(network, others + 1);
    }
    const guest: Guest = { network, end };
    this.#guests.add(guest);
    const [oldest] = this.#guests;
    if (oldest && this.#guests.size > inAll) {
      this.#leave(oldest);
      oldest.end();
    }
    return () => this.#leave(guest);
  }

  #leave(guest: Guest): void {
    if (!this.#guests.delete(guest) || guest.network === null) return;
    const others = (this.#perNetwork.get(guest.network) ?? 1) - 1;
    if (others > 0) this.#perNetwork.set(guest.network, others);
    else this.#perNetwork.delete(guest.network);
  }
}
