import { setTimeout as wait } from "node:timers/promises";

/** Returns the URLs of the nodes that are currently up. */
export type Nodes = () => Array<{ graphqlUrl: string; chatUrl: string }>;

/** The user of a phone. */
export interface Owner {
  id: number;
  applicationId: number;
  token: string;
}

/** A client that reconnects, with the record of its whole life for a test. */
export interface Phone {
  owner: Owner;
  /** Number of deliveries of each signal, by its id. */
  received: Map<string, number>;
  /** Errors that forced it to start without its cursor; signals may be missing after one. */
  gaps: string[];
  /** Number of connection attempts. */
  connections: number;
  /** Sends a signal, again after each reconnection, until it is acknowledged. */
  send(to: Owner, id: string): Promise<void>;
  /** Resolves when it can receive signals. */
  ready: Promise<void>;
  stop(): void;
}

/** A signal that the service has not acknowledged. */
export interface Unacknowledged {
  to: Owner;
  id: string;
  acknowledged(): void;
}

/** The protocol-independent part of a phone: connects to a random node and reconnects whenever that ends. */
export abstract class BasePhone implements Phone {
  readonly received = new Map<string, number>();
  readonly gaps: string[] = [];
  connections = 0;
  readonly ready: Promise<void>;
  protected readonly unacknowledged = new Map<string, Unacknowledged>();
  protected stopped = false;
  protected tellReady: () => void = () => undefined;

  constructor(
    readonly owner: Owner,
    private readonly nodes: Nodes,
  ) {
    this.ready = new Promise((resolve) => {
      this.tellReady = resolve;
    });
    void this.live();
  }

  send(to: Owner, id: string): Promise<void> {
    return new Promise((resolve) => {
      const entry = { to, id, acknowledged: resolve };
      this.unacknowledged.set(id, entry);
      this.transmit(entry);
    });
  }

  stop(): void {
    this.stopped = true;
    this.hangUp();
  }

  protected note(id: string): void {
    this.received.set(id, (this.received.get(id) ?? 0) + 1);
  }

  protected acknowledge(id: string): void {
    this.unacknowledged.get(id)?.acknowledged();
    this.unacknowledged.delete(id);
  }

  private async live(): Promise<void> {
    while (!this.stopped) {
      const nodes = this.nodes();
      const node = nodes[Math.floor(Math.random() * nodes.length)];
      if (node) {
        this.connections++;
        await this.connect(node).catch(() => undefined);
      }
      // With jitter, as real clients do, so that they do not all reconnect at once.
      await wait(50 + Math.random() * 250);
    }
  }

  /** Connects; resolves when the connection ends. */
  protected abstract connect(node: { graphqlUrl: string; chatUrl: string }): Promise<void>;
  /** Sends a signal if the phone is connected. */
  protected abstract transmit(entry: Unacknowledged): void;
  protected abstract hangUp(): void;
}
