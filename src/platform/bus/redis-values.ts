import type { Result } from "ioredis";
import type { RedisConnection } from "./redis-connection";
import { VALUE_TTL_MS, type Values } from "./values";

/** KEYS: the key. ARGV: value, TTL in ms. Sets a value if there is none. Returns the existing one. */
const SET_IF_ABSENT = `
local existing = redis.call('GET', KEYS[1])
if not existing then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return existing
`;

/** KEYS: the key. ARGV: value. Deletes a value if it equals the given one. */
const DELETE_IF = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** The script SET_IF_ABSENT. */
    signalboxSetIfAbsent(key: string, value: string, ttlMs: number): Result<string | null, Context>;
    /** The script DELETE_IF. */
    signalboxDeleteIf(key: string, value: string): Result<null, Context>;
  }
}

/** The values of a deployment of several nodes: strings with a TTL in Redis. */
export class RedisValues implements Values {
  /** @param prefix of the keys in Redis */
  constructor(
    private readonly connection: RedisConnection,
    private readonly prefix: string,
  ) {
    const { client } = connection;
    client.defineCommand("signalboxSetIfAbsent", { numberOfKeys: 1, lua: SET_IF_ABSENT });
    client.defineCommand("signalboxDeleteIf", { numberOfKeys: 1, lua: DELETE_IF });
  }

  async set(key: string, value: string): Promise<void> {
    await this.connection.run("SET", (client) =>
      client.set(this.prefix + key, value, "PX", VALUE_TTL_MS),
    );
  }

  async get(key: string): Promise<string | undefined> {
    return (
      (await this.connection.run("GET", (client) => client.get(this.prefix + key))) ?? undefined
    );
  }

  async setIfAbsent(key: string, value: string): Promise<string | undefined> {
    const existing = await this.connection.run("set_if_absent", (client) =>
      client.signalboxSetIfAbsent(this.prefix + key, value, VALUE_TTL_MS),
    );
    return existing ?? undefined;
  }

  async deleteIf(key: string, value: string): Promise<void> {
    await this.connection.run("delete_if", (client) =>
      client.signalboxDeleteIf(this.prefix + key, value),
    );
  }
}
