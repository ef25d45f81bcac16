import type { Redis, Result } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Log } from "../core/log";
import type { Added, Limiter } from "./limiter";
import { type Attempt, type Budget, FAILURES_MS, FIRST_WAIT_MS, KNOWN_MS } from "./limiter";
import { BEGIN, SETTLE } from "./limiter-scripts";
import { type LocalLimiter, tracksOf } from "./local-limiter";
import { RedisConnection } from "./redis-connection";

/** The braces keep the keys of one script on one node of a cluster. */
const PREFIX = "signalbox:{limits}:";

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** The script BEGIN. */
    signalboxBegin(...words: (string | number)[]): Result<number, Context>;
    /** The script SETTLE. */
    signalboxSettle(...words: (string | number)[]): Result<number, Context>;
  }
}

/**
 * Counts in Redis, for all nodes together; in the memory of this node while Redis is away, so that an
 * outage neither opens the doors to guessing nor closes them to everybody.
 * @throws Error when Redis does not answer at the start
 */
export async function openRedisLimiter(
  url: string,
  log: Log,
  meanwhile: LocalLimiter,
): Promise<Limiter & { close(): Promise<void> }> {
  const limiter = new RedisLimiter(url, log, meanwhile);
  await limiter.start();
  return limiter;
}

class RedisLimiter implements Limiter {
  private readonly connection: RedisConnection;
  private readonly budgets = new Map<string, RateLimiterRedis>();

  constructor(
    url: string,
    log: Log,
    private readonly meanwhile: LocalLimiter,
  ) {
    this.connection = new RedisConnection(url, "limits", log);
    this.connection.client.defineCommand("signalboxBegin", { numberOfKeys: 3, lua: BEGIN });
    this.connection.client.defineCommand("signalboxSettle", { numberOfKeys: 3, lua: SETTLE });
  }

  start(): Promise<void> {
    return this.connection.start();
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  async take(budget: Budget, key: string): Promise<number> {
    try {
      await this.limiterOf(budget).consume(key);
      return 0;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return Math.max(1, refused.msBeforeNext);
      return this.meanwhile.take(budget, key);
    }
  }

  async add(budget: Budget, key: string, count: number): Promise<Added | undefined> {
    try {
      const { consumedPoints, msBeforeNext } = await this.limiterOf(budget).penalty(key, count);
      return { count: consumedPoints, endsInMs: msBeforeNext };
    } catch {
      return undefined;
    }
  }

  begin(attempt: Attempt): Promise<number> {
    const words = tracksOf(attempt).flatMap(({ free, longest }) => [free, longest]);
    return this.ask(
      (client) => client.signalboxBegin(...keysOf(attempt), ...words, FIRST_WAIT_MS, FAILURES_MS),
      () => this.meanwhile.begin(attempt),
    );
  }

  async settle(attempt: Attempt, outcome: "right" | "void"): Promise<void> {
    await this.ask<unknown>(
      (client) => client.signalboxSettle(...keysOf(attempt), outcome, attempt.pair.free, KNOWN_MS),
      () => this.meanwhile.settle(attempt, outcome),
    );
  }

  /** Asks Redis where it is there at once; nobody who signs in waits for it to come back. */
  private async ask<T>(
    command: (client: Redis) => Promise<T>,
    other: () => Promise<T>,
  ): Promise<T> {
    if (!this.connection.isReady()) return other();
    try {
      return await this.connection.run(command);
    } catch {
      return other();
    }
  }

  private limiterOf({ name, limit, seconds }: Budget): RateLimiterRedis {
    const known = this.budgets.get(name);
    if (known) return known;
    const made = new RateLimiterRedis({
      storeClient: this.connection.client,
      keyPrefix: `${PREFIX}${name}`,
      points: limit,
      duration: seconds,
      rejectIfRedisNotReady: true,
    });
    this.budgets.set(name, made);
    return made;
  }
}

function keysOf(attempt: Attempt): string[] {
  return tracksOf(attempt).map(({ key }) => `${PREFIX}${key}`);
}
