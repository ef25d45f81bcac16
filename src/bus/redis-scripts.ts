/**
 * The scripts of the Redis adapter; each is one round trip and runs as one step (Redis 6.2 or later).
 *
 * An inbox is a stream of `p` (the id of the entry before it in this inbox, empty where that is not
 * known) and `b` (the body), beside a key with the id of its last entry, its head. The head outlives
 * the stream, so that a reader learns whether anything came after its cursor even when all is gone.
 */

/** KEYS stream, head; ARGV body, entries at most, inbox ms, head ms, channel. Answers the id. */
export const APPEND = `
local stream, head = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local before = redis.call('GET', head) or ''
local id = '*'
if before ~= '' and redis.call('EXISTS', stream) == 0 then
  -- Ids of an inbox must grow, even when the stream is a new one and the clock went back.
  local ms, seq = string.match(before, '^(%d+)-(%d+)$')
  if tonumber(ms) >= now then id = ms .. '-' .. string.format('%d', tonumber(seq) + 1) end
end
id = redis.call('XADD', stream, 'MAXLEN', '=', ARGV[2], id, 'p', before, 'b', ARGV[1])
redis.call('XTRIM', stream, 'MINID', '=', string.format('%.0f', now - tonumber(ARGV[3])))
redis.call('PEXPIRE', stream, ARGV[3])
redis.call('SET', head, id, 'PX', ARGV[4])
redis.call('PUBLISH', ARGV[5], id)
return id
`;

/**
 * KEYS stream, head; ARGV cursor or empty, entries at most, inbox ms. Answers the head or empty, then
 * entries after the cursor that are not too old, each as id, p, b in a row.
 */
export const READ = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local oldest = now - tonumber(ARGV[3])
local from = string.format('%.0f', oldest)
if ARGV[1] ~= '' and tonumber(string.match(ARGV[1], '^(%d+)-')) >= oldest then
  from = '(' .. ARGV[1]
end
local answer = { redis.call('GET', KEYS[2]) or '' }
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', ARGV[2])) do
  answer[#answer + 1] = entry[1]
  answer[#answer + 1] = entry[2][2]
  answer[#answer + 1] = entry[2][4]
end
return answer
`;
