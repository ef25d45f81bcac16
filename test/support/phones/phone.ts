import { setTimeout as wait } from "node:timers/promises";

/** Addresses of the nodes that are up, as they change. */
export type Nodes = () => Array<{ graphqlUrl: string; chatUrl: string }>;

/** Whose phone it is. */
export interface Owner {
  id: number;
  applicationId: number;
  token: string;
}

/** What a test learns of a phone over its whole life, through whatever befalls its connections. */
export interface Phone {
  owner: Owner;
  /** How often each signal arrived, by its id. */
  received: Map<string, number>;
  /** Reasons for which it could not go on where it stood; signals may be missing after one. */
  gaps: string[];
  /** How often it connected. */
  connections: number;
  /** Sends a signal, again after each reconnect, until it is acknowledged. */
  send(to: Owner, id: string): Promise<void>;
  /** Resolves once signals reach it. */
  ready: Promise<void>;
  stop(): void;
}

/** A signal that the service has not acknowledged. */
export interface Unacknowledged {
  to: Owner;
  id: string;
  acknowledged(): void;
}

/** A phone without a protocol: it connects to any node, and again whenever that ends. */
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
      // As clients do, so that they do not all come back at once.
      await wait(50 + Math.random() * 250);
    }
  }

  /** Connects, and resolves when the connection has ended. */
  protected abstract connect(node: { graphqlUrl: string; chatUrl: string }): Promise<void>;
  /** Writes a signal, if there is a connection. */
  protected abstract transmit(entry: Unacknowledged): void;
  protected abstract hangUp(): void;
}
