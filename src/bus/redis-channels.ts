import type { Log } from "../core/log";
import { type Listener, Listeners } from "./listeners";
import { awayFault, type RedisConnection } from "./redis-connection";

/**
 * The channels this node listens to, on one connection that does nothing else (Redis, "Pub/sub"). A
 * channel is subscribed to once, however many listen.
 */
export class RedisChannels {
  private readonly listeners: Listeners;
  /** For each channel with listeners: that Redis has confirmed it on the present connection. */
  private readonly confirmed = new Map<string, Promise<void>>();
  private everConnected = false;

  constructor(
    private readonly connection: RedisConnection,
    /** What Redis calls a channel. */
    private readonly nameOf: (channel: string) => string,
    private readonly log: Log,
  ) {
    this.listeners = new Listeners(log);
    const { client } = connection;
    client.on("message", (name: string, message: string) => this.listeners.tell(name, message));
    client.on("close", () => this.confirmed.clear());
    client.on("ready", () => {
      const again = this.everConnected;
      this.everConnected = true;
      if (again) this.relisten();
    });
  }

  /** See `Bus.subscribe`. */
  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const name = this.nameOf(channel);
    const remove = this.listeners.add(name, listener);
    try {
      await this.connection.run(() => this.confirm(name));
    } catch {
      this.stop(name, remove);
      throw awayFault();
    }
    return async () => this.stop(name, remove);
  }

  /** What Redis calls the channels that this node listens to. */
  names(): string[] {
    return this.listeners.names();
  }

  close(): void {
    this.listeners.clear();
  }

  /** Subscribes unless that is under way or done. Redis keeps the order of what one connection sends. */
  private confirm(name: string): Promise<void> {
    const known = this.confirmed.get(name);
    if (known) return known;
    const made = this.connection.client.subscribe(name).then(
      () => {},
      (error: unknown) => {
        if (this.confirmed.get(name) === made) this.confirmed.delete(name);
        throw error;
      },
    );
    this.confirmed.set(name, made);
    return made;
  }

  private stop(name: string, remove: () => boolean): void {
    if (!remove() || !this.confirmed.delete(name)) return;
    this.connection.client.unsubscribe(name).catch((error: unknown) => {
      // The connection is gone, and the subscription with it.
      this.log.debug({ err: error }, "a channel was not left in Redis");
    });
  }

  /** On a new connection: listens again, then tells all that notices may have been missed. */
  private relisten(): void {
    for (const name of this.listeners.names()) {
      this.confirm(name).then(
        () => this.listeners.tell(name, ""),
        // A connection on which nobody can listen is of no use: the next one tries again.
        () => this.connection.renew(),
      );
    }
  }
}
