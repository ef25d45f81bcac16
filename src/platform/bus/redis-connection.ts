import Redis, { type RedisOptions } from "ioredis";
import { monotonicNow } from "../../core/clock";
import { Fault } from "../../core/errors";
import { type Log, warnRarely } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { randomInteger } from "../../core/random";
import { StartError } from "../../core/startup/start-error";
import { inSpan, isTraced } from "../../core/tracing";
import { isNotPrimary, parseInfo, unsupportedServer } from "./redis-server";

/** Timeout of a command, and how long a command waits for a lost connection, in milliseconds. */
const COMMAND_TIMEOUT_MS = 2_000;
/** How long the start waits for Redis, in milliseconds. */
const START_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 10_000;
/** First and longest delay between two connection attempts, in milliseconds. */
const RETRY_MS = { first: 100, longest: 1_000 };

/** What is measured of the connections to Redis. */
export type RedisMetrics = Pick<Metrics, "redisConnected" | "redisSeconds">;

/** The fault for callers while Redis is unavailable. */
export function unavailable(): Fault {
  return new Fault(
    "UNAVAILABLE",
    "The service cannot reach its message bus; try again",
    undefined,
    2,
  );
}

/**
 * A connection to Redis that reconnects by itself, with delays from 100 ms to 1 s. Commands are never queued
 * while it is lost: a signal that was reported as failed to its sender must not be delivered later.
 */
export class RedisConnection {
  readonly client: Redis;
  private readonly heartbeat: NodeJS.Timeout;
  private reason = "the connection was closed";
  private disconnected = false;
  private closed = false;
  /** When it last became ready, by the monotonic clock. */
  private readyAt = 0;
  private demoted: () => void = () => {};

  constructor(
    url: string,
    name: "commands" | "subscriptions" | "limits",
    private readonly log: Log,
    private readonly metrics?: RedisMetrics,
  ) {
    this.client = new Redis(url, {
      ...OPTIONS,
      reconnectOnError: ({ message }) => this.leaves(message),
    });
    this.client.options.connectionName = `signalbox-${name}`;
    // Any number of commands may wait for the connection.
    this.client.setMaxListeners(0);
    this.client.on("error", (error) => {
      // Without a message if several addresses of the host were tried.
      this.reason = error.message || stringCode(error);
    });
    this.client.on("ready", () => {
      metrics?.redisConnected.set({ connection: name }, 1);
      this.disconnected = false;
      this.readyAt = monotonicNow();
      log.info({ connection: name }, "connected to Redis");
    });
    this.client.on("close", () => {
      metrics?.redisConnected.set({ connection: name }, 0);
      // Logged once per outage, not for every failed attempt.
      if (this.disconnected || this.closed) return;
      this.disconnected = true;
      log.warn({ connection: name, reason: this.reason }, "lost the connection to Redis");
    });
    this.heartbeat = setInterval(() => {
      // A connection that a firewall dropped silently reports no error.
      if (this.isReady()) this.client.ping().catch(() => this.reconnect());
    }, PING_INTERVAL_MS);
    this.heartbeat.unref();
  }

  isReady(): boolean {
    return this.client.status === "ready";
  }

  /** Calls a listener when a reply shows that the server is no longer the primary, before the next connection. */
  onDemotion(listener: () => void): void {
    this.demoted = listener;
  }

  /**
   * Waits for the first connection.
   * @throws StartError when Redis cannot be reached within ten seconds, or is none that the bus can use
   */
  async start(): Promise<void> {
    const problem = (await this.waitUntilReady(START_TIMEOUT_MS))
      ? unsupportedServer(await this.readFacts())
      : {
          detail: `Redis (REDIS_URL) cannot be reached (${this.reason})`,
          fix: "start it, or correct REDIS_URL",
        };
    if (problem === null) return;
    this.close();
    throw new StartError([problem]);
  }

  /**
   * Runs a command once the connection is ready.
   * @param name of the command or script, for its span
   * @throws Fault UNAVAILABLE when it is not ready within two seconds, or the command fails
   */
  run<T>(name: string, command: (client: Redis) => Promise<T>): Promise<T> {
    if (!isTraced()) return this.runMeasured(command);
    const attributes = { "db.system.name": "redis", "db.operation.name": name };
    return inSpan(name, "client", attributes, () => this.runMeasured(command));
  }

  /** Drops the current connection without waiting for Redis and connects again. */
  reconnect(): void {
    if (this.isReady()) this.client.stream.destroy();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.heartbeat);
    this.client.disconnect();
  }

  /** What the server says about itself; nothing if this user may not ask. */
  private async readFacts(): Promise<ReturnType<typeof parseInfo>> {
    try {
      return parseInfo(await this.client.info());
    } catch (error) {
      this.log.warn({ err: withoutCommand(error) }, "Redis does not say whether it is a primary");
      return new Map();
    }
  }

  /**
   * Whether to connect again after an error reply: the name of a primary may lead to another server by now. Not more
   * often than once a second, as long as it does not.
   */
  private leaves(reply: string): boolean {
    if (!isNotPrimary(reply) || monotonicNow() - this.readyAt < RETRY_MS.longest) return false;
    this.reason = reply;
    this.demoted();
    return true;
  }

  /** Runs a command on the open connection. */
  private async attempt<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    try {
      return await command(this.client);
    } catch (error) {
      warnRarely(this.log, { err: withoutCommand(error) }, "a Redis command failed");
      throw unavailable();
    }
  }

  private async runMeasured<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    const end = this.metrics?.redisSeconds.startTimer();
    try {
      if (!this.isReady() && !(await this.waitUntilReady(COMMAND_TIMEOUT_MS))) throw unavailable();
      return await this.attempt(command);
    } finally {
      end?.();
    }
  }

  private waitUntilReady(ms: number): Promise<boolean> {
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
 * Delay before the next connection attempt, in milliseconds: exponential back-off with jitter, since all
 * nodes lose Redis at the same moment and must not all return at once.
 * @param attempt number of the attempt, from 1
 */
export function reconnectDelay(attempt: number): number {
  const wait = Math.min(RETRY_MS.first * 2 ** Math.min(attempt - 1, 10), RETRY_MS.longest);
  return randomInteger(wait / 2, wait);
}

const OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  retryStrategy: reconnectDelay,
};

function stringCode(error: NodeJS.ErrnoException): string {
  return error.code ?? error.name;
}

/** The error without the command, whose arguments contain signals. */
function withoutCommand(error: unknown): { message: string } {
  return { message: error instanceof Error ? error.message : String(error) };
}
