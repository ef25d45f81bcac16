import type { Redis } from "ioredis";
import { newId } from "../../core/random";

/** First part of every key. The hash tag keeps all keys of a script in one slot of a Redis cluster. */
export const LIMITS_PREFIX = "signalbox:{limits}:";

/** TTL of what the probe writes, in milliseconds. */
const PROBE_TTL_MS = 1_000;

/**
 * The Lua scripts of the Redis limiter. Each is one round trip and runs atomically. A failure counter is a
 * hash of `n` (failures), `u` (end of the wait, Unix time in milliseconds) and `k` (1 once a correct secret
 * was seen).
 */

/** Computes `wait`, the milliseconds until an attempt is allowed; the beginning of {@link WAIT} and {@link RESERVE}. */
const COMPUTE_WAIT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known = redis.call('HGET', KEYS[1], 'k')
local wait = 0
for i, key in ipairs(KEYS) do
  if tonumber(ARGV[2 * i - 1]) > 0 and not (i == 2 and known) then
    wait = math.max(wait, tonumber(redis.call('HGET', key, 'u') or '0') - now)
  end
end
`;

/**
 * KEYS: pair, name, address.
 * ARGV: for each of them in turn the number of failures without a wait and the longest wait in ms.
 * Returns the wait in milliseconds.
 */
export const WAIT = `${COMPUTE_WAIT}return wait
`;

/**
 * KEYS: pair, name, address.
 * ARGV: as of {@link WAIT}; the first wait in ms; the TTL in ms.
 * Returns the wait in milliseconds, or 0 after counting the attempt.
 */
export const RESERVE = `${COMPUTE_WAIT}if wait > 0 then return wait end
for i, key in ipairs(KEYS) do
  local allowed = tonumber(ARGV[2 * i - 1])
  if allowed > 0 then
    local n = redis.call('HINCRBY', key, 'n', 1)
    if n >= allowed then
      local delay = math.min(tonumber(ARGV[7]) * 2 ^ math.min(n - allowed, 20), tonumber(ARGV[2 * i]))
      redis.call('HSET', key, 'u', string.format('%.0f', now + delay))
    end
    if redis.call('PTTL', key) < tonumber(ARGV[8]) then redis.call('PEXPIRE', key, ARGV[8]) end
  end
end
return 0
`;

/**
 * KEYS: pair, name, address.
 * ARGV: `correct` or `unchecked`; the pair's number of failures without a wait; the TTL of a known address in
 * ms.
 */
export const COMMIT = `
local function undo(key)
  local n = tonumber(redis.call('HGET', key, 'n') or '0')
  if n > 0 then redis.call('HSET', key, 'n', n - 1, 'u', 0) end
end
if ARGV[1] == 'correct' then
  redis.call('DEL', KEYS[2])
  if tonumber(ARGV[2]) > 0 then
    redis.call('HSET', KEYS[1], 'n', 0, 'u', 0, 'k', 1)
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
else
  undo(KEYS[1])
  undo(KEYS[2])
end
undo(KEYS[3])
return 0
`;

/**
 * Reserves an attempt of nobody's, which expires after a second.
 * @throws the error reply of Redis if it cannot count
 */
export async function probeLimits(client: Redis): Promise<void> {
  const key = `${LIMITS_PREFIX}probe-${newId()}`;
  const keys = ["pair", "name", "address"].map((part) => `${key}:${part}`);
  const counted = [1, 0, 1, 0, 1, 0];
  await client.eval(RESERVE, keys.length, ...keys, ...counted, 0, PROBE_TTL_MS);
}
