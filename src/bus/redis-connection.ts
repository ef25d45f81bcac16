import Redis, { type RedisOptions } from "ioredis";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import { integerBetween } from "../core/random";

/** How long a command may take, and how long it waits for a lost connection, in milliseconds. */
const PATIENCE_MS = 2_000;
/** How long a start waits for Redis. */
const START_MS = 10_000;
const PING_MS = 10_000;
/** Milliseconds of the first wait between two attempts to connect, and of the longest. */
const RETRY_MS = { first: 100, longest: 1_000 };

/** What a caller is told while Redis is away. */
export function awayFault(): Fault {
  return new Fault(
    "UNAVAILABLE",
    "The service cannot reach its message bus; try again",
    undefined,
    2,
  );
}

/**
 * One connection to Redis that comes back by itself, after 100 ms at first and 1 s at most. Commands
 * never wait in a queue for it: a signal that its sender was told is lost must not be delivered later.
 */
export class RedisConnection {
  readonly client: Redis;
  private readonly heartbeat: NodeJS.Timeout;
  private reason = "the connection was closed";
  private away = false;
  private closed = false;

  constructor(
    url: string,
    name: string,
    private readonly log: Log,
  ) {
    this.client = new Redis(url, OPTIONS);
    this.client.options.connectionName = `signalbox-${name}`;
    // As many commands as there are may wait for one connection.
    this.client.setMaxListeners(0);
    this.client.on("error", (error) => {
      this.reason = error.message;
    });
    this.client.on("ready", () => {
      this.away = false;
      log.info({ connection: name }, "connected to Redis");
    });
    this.client.on("close", () => {
      // An outage ends every attempt in the same way; one line is enough.
      if (this.away || this.closed) return;
      this.away = true;
      log.warn({ connection: name, reason: this.reason }, "Redis is away");
    });
    this.heartbeat = setInterval(() => {
      // A connection that a firewall forgot gives no error by itself.
      if (this.isReady()) this.client.ping().catch(() => this.renew());
    }, PING_MS);
    this.heartbeat.unref();
  }

  isReady(): boolean {
    return this.client.status === "ready";
  }

  /** Waits for the first connection. @throws Error when Redis does not come up in time */
  async start(): Promise<void> {
    if (await this.becomesReady(START_MS)) return;
    this.close();
    throw new Error(`Redis (REDIS_URL) cannot be reached: ${this.reason}`);
  }

  /**
   * Runs a command once the connection is there.
   * @throws Fault UNAVAILABLE when it is not within two seconds, or the command fails
   */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.isReady() && !(await this.becomesReady(PATIENCE_MS))) throw awayFault();
    try {
      return await command(this.client);
    } catch (error) {
      this.log.warn({ err: plain(error) }, "a command to Redis failed");
      throw awayFault();
    }
  }

  /** Drops the present connection without waiting for the other end; another one follows. */
  renew(): void {
    if (this.isReady()) this.client.stream.destroy();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.heartbeat);
    this.client.disconnect();
  }

  private becomesReady(ms: number): Promise<boolean> {
    if (this.isReady()) return Promise.resolve(true);
    const { client } = this;
    return new Promise((resolve) => {
      const done = (ready: boolean) => {
        clearTimeout(timer);
        client.off("ready", onReady);
        client.off("end", onEnd);
        resolve(ready);
      };
      const onReady = () => done(true);
      const onEnd = () => done(false);
      const timer = setTimeout(onEnd, ms);
      client.once("ready", onReady);
      client.once("end", onEnd);
    });
  }
}

/**
 * Milliseconds before the next attempt to connect, half of them by chance: all nodes lose Redis in one
 * moment, and are not to come back in one.
 * @param attempt counted from 1
 */
export function retryWait(attempt: number): number {
  const wait = Math.min(RETRY_MS.first * 2 ** Math.min(attempt - 1, 10), RETRY_MS.longest);
  return integerBetween(wait / 2, wait);
}

const OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: PATIENCE_MS,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  retryStrategy: retryWait,
  // After a failover the old primary answers so until the connection is made anew.
  reconnectOnError: (error) => error.message.startsWith("READONLY"),
};

/** The error without the command, whose values are signals. */
function plain(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) };
}
