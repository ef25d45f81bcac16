import type { Log } from "../../core/log";
import { type Listener, Listeners } from "./listeners";
import { type RedisConnection, unavailable } from "./redis-connection";

/**
 * The channels that this node subscribes to, on a dedicated connection (redis.io "Pub/sub"). Each channel is
 * subscribed to once, whatever the number of its listeners.
 */
export class RedisChannels {
  private readonly listeners: Listeners;
  /** Channels with listeners, each with Redis' confirmation on the current connection. */
  private readonly confirmations = new Map<string, Promise<void>>();
  private everConnected = false;

  constructor(
    private readonly connection: RedisConnection,
    /** The name of a channel in Redis. */
    private readonly redisNameOf: (channel: string) => string,
    private readonly log: Log,
  ) {
    this.listeners = new Listeners(log);
    const { client } = connection;
    client.on("message", (name: string, message: string) => this.listeners.dispatch(name, message));
    client.on("close", () => this.confirmations.clear());
    client.on("ready", () => {
      const isReconnect = this.everConnected;
      this.everConnected = true;
      if (isReconnect) this.resubscribe();
    });
  }

  /** See `Bus.subscribe`. */
  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const name = this.redisNameOf(channel);
    const remove = this.listeners.add(name, listener);
    try {
      await this.connection.run("SUBSCRIBE", () => this.confirm(name));
    } catch {
      this.stop(name, remove);
      throw unavailable();
    }
    return async () => this.stop(name, remove);
  }

  /**
   * Subscribes to a channel without a listener, and waits until Redis has confirmed it on the current connection.
   * @throws Fault UNAVAILABLE when it does not
   */
  async confirmed(channel: string): Promise<void> {
    await this.connection.run("SUBSCRIBE", () => this.confirm(this.redisNameOf(channel)));
  }

  /** The Redis names of the channels that this node subscribes to. */
  names(): string[] {
    return this.listeners.names();
  }

  close(): void {
    this.listeners.clear();
  }

  /**
   * Subscribes unless this is in progress or done. Redis processes the commands of one connection in order.
   */
  private confirm(name: string): Promise<void> {
    const known = this.confirmations.get(name);
    if (known) return known;
    const confirmation = this.connection.client.subscribe(name).then(
      () => {},
      (error: unknown) => {
        if (this.confirmations.get(name) === confirmation) this.confirmations.delete(name);
        throw error;
      },
    );
    this.confirmations.set(name, confirmation);
    return confirmation;
  }

  private stop(name: string, remove: () => boolean): void {
    if (!remove() || !this.confirmations.delete(name)) return;
    this.connection.client.unsubscribe(name).catch((error: unknown) => {
      // The connection is lost, which ends the subscription too.
      this.log.debug({ err: error }, "failed to unsubscribe from a Redis channel");
    });
  }

  /** Resubscribes on a new connection, then signals to all listeners that notices may have been missed. */
  private resubscribe(): void {
    for (const name of this.listeners.names()) {
      this.confirm(name).then(
        () => this.listeners.dispatch(name, ""),
        // Without the subscription the connection is useless; the next one retries.
        () => this.connection.reconnect(),
      );
    }
  }
}
