import type { Redis, Result } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Log } from "../../core/log";
import { RedisConnection, type RedisMetrics } from "../bus/redis-connection";
import type { Limiter, WindowState } from "./limiter";
import {
  type AttemptCounters,
  FAILURES_TTL_MS,
  KNOWN_ADDRESS_TTL_MS,
  type RateLimit,
} from "./limiter";
import { COMMIT, LIMITS_PREFIX, RESERVE, WAIT } from "./limiter-scripts";
import { countersOf, type LocalLimiter } from "./local-limiter";

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** The script WAIT. */
    signalboxWait(...words: (string | number)[]): Result<number, Context>;
    /** The script RESERVE. */
    signalboxReserve(...words: (string | number)[]): Result<number, Context>;
    /** The script COMMIT. */
    signalboxCommit(...words: (string | number)[]): Result<number, Context>;
  }
}

/**
 * Opens a limiter that counts in Redis, for all nodes together. During an outage of Redis it counts in the
 * memory of this node, so that guessing stays limited and nobody is locked out.
 * @throws StartError when Redis cannot be reached at the start
 */
export async function openRedisLimiter(
  url: string,
  log: Log,
  fallback: LocalLimiter,
  metrics?: RedisMetrics,
): Promise<Limiter & { close(): Promise<void> }> {
  const limiter = new RedisLimiter(url, log, fallback, metrics);
  await limiter.start();
  return limiter;
}

class RedisLimiter implements Limiter {
  private readonly connection: RedisConnection;
  private readonly limiters = new Map<string, RateLimiterRedis>();

  constructor(
    url: string,
    log: Log,
    private readonly fallback: LocalLimiter,
    metrics?: RedisMetrics,
  ) {
    this.connection = new RedisConnection(url, "limits", log, metrics);
    this.connection.client.defineCommand("signalboxWait", { numberOfKeys: 3, lua: WAIT });
    this.connection.client.defineCommand("signalboxReserve", { numberOfKeys: 3, lua: RESERVE });
    this.connection.client.defineCommand("signalboxCommit", { numberOfKeys: 3, lua: COMMIT });
  }

  start(): Promise<void> {
    return this.connection.start();
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  async take(rateLimit: RateLimit, key: string, points = 1): Promise<number> {
    try {
      await this.limiterOf(rateLimit).consume(key, points);
      return 0;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return Math.max(1, refused.msBeforeNext);
      return this.fallback.take(rateLimit, key, points);
    }
  }

  async add(rateLimit: RateLimit, key: string, count: number): Promise<WindowState | undefined> {
    try {
      const { consumedPoints, msBeforeNext } = await this.limiterOf(rateLimit).penalty(key, count);
      return { count: consumedPoints, endsInMs: msBeforeNext };
    } catch {
      return undefined;
    }
  }

  waitBefore(attempt: AttemptCounters): Promise<number> {
    return this.runOrFallBack(
      "wait",
      (client) => client.signalboxWait(...keysOf(attempt), ...wordsOf(attempt)),
      () => this.fallback.waitBefore(attempt),
    );
  }

  reserve(attempt: AttemptCounters): Promise<number> {
    return this.runOrFallBack(
      "reserve",
      (client) =>
        client.signalboxReserve(
          ...keysOf(attempt),
          ...wordsOf(attempt),
          this.fallback.firstWaitMs,
          FAILURES_TTL_MS,
        ),
      () => this.fallback.reserve(attempt),
    );
  }

  async commit(attempt: AttemptCounters, outcome: "correct" | "unchecked"): Promise<void> {
    await this.runOrFallBack<unknown>(
      "commit",
      (client) =>
        client.signalboxCommit(
          ...keysOf(attempt),
          outcome,
          attempt.pair.allowed,
          KNOWN_ADDRESS_TTL_MS,
        ),
      () => this.fallback.commit(attempt, outcome),
    );
  }

  /** Uses Redis only if it is connected: a sign-in does not wait for a reconnect. */
  private async runOrFallBack<T>(
    name: string,
    command: (client: Redis) => Promise<T>,
    fallback: () => Promise<T>,
  ): Promise<T> {
    if (!this.connection.isReady()) return fallback();
    try {
      return await this.connection.run(name, command);
    } catch {
      return fallback();
    }
  }

  /** Limits of one name count together, but an application may have a number of its own. */
  private limiterOf({ name, limit, seconds }: RateLimit): RateLimiterRedis {
    const id = `${name} ${limit}`;
    const known = this.limiters.get(id);
    if (known) return known;
    const limiter = new RateLimiterRedis({
      storeClient: this.connection.client,
      keyPrefix: `${LIMITS_PREFIX}${name}`,
      points: limit,
      duration: seconds,
      rejectIfRedisNotReady: true,
    });
    this.limiters.set(id, limiter);
    return limiter;
  }
}

function wordsOf(attempt: AttemptCounters): number[] {
  return countersOf(attempt).flatMap(({ allowed, longest }) => [allowed, longest]);
}

function keysOf(attempt: AttemptCounters): string[] {
  return countersOf(attempt).map(({ key }) => `${LIMITS_PREFIX}${key}`);
}
