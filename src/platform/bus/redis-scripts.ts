import { SENDER_SHARES } from "./sender-shares-script";

/**
 * The Lua scripts of the Redis adapter (Redis 6.2 or later). Each is one round trip and runs atomically.
 *
 * An inbox is a stream. The fields of its entries are `p` (id of the previous entry of the inbox, empty if
 * unknown), `b` (body), `s` (sender) and `r` (1 for high priority). Each inbox also has
 *
 * - a state: a string of the last entry's id, the bytes of all bodies, the id of the last evicted entry, and
 *   the id of the last evicted high-priority entry;
 * - its order: a sorted set of `sender priority id` for each entry, all with the same score, so that the
 *   entries of a sender are adjacent and its next entry to evict comes first;
 * - its shares: a sorted set with each sender's share, as `b` and the name by bytes, and as `n` and the name
 *   by the negated number of entries, so that the largest shares are at the two ends.
 *
 * The state outlives the stream, so that a reader can detect a gap after all entries have expired. Order and
 * shares do not; entries without a sender are in neither. One hash for all inboxes holds the bytes appended
 * in each ten seconds that are still stored.
 */

/** Compares two ids; an empty text comes before all ids. */
const IS_AFTER = `
local function isAfter(a, b)
  if a == '' or b == '' then return a ~= '' end
  local ams, aseq = string.match(a, '^(%d+)-(%d+)$')
  local bms, bseq = string.match(b, '^(%d+)-(%d+)$')
  ams, bms = tonumber(ams), tonumber(bms)
  return ams > bms or (ams == bms and tonumber(aseq) > tonumber(bseq))
end
`;

/** Parses the state of an inbox. */
const READ_STATE = `
local function readState(key)
  local text = redis.call('GET', key) or ''
  local id, bytes, evictedTo, priorityEvictedTo = string.match(text, '^(%S+) b(%d+) (%S*) (%S*)$')
  return id or string.match(text, '^%S*'), tonumber(bytes) or 0, evictedTo or '', priorityEvictedTo or ''
end
`;

/** Maximum number of expired entries that one append removes. */
const EXPIRED_BATCH = 20;

/**
 * KEYS: stream, state, order, shares, sizes.
 * ARGV: 1 body, 2 maximum number of entries, 3 TTL of the inbox in ms, 4 TTL of its state in ms, 5 channel,
 * 6 maximum bytes, 7 sender (empty for none), 8 priority (1 for high), 9 maximum bytes of all inboxes (0 for
 * no limit), 10 overhead of an entry in bytes, 11 overhead of an inbox in bytes.
 * Returns the id, the number of subscribers, and how full all inboxes are in thousandths. A refused append
 * has `inbox` or `inboxes`, whichever is full, in place of the id.
 */
export const APPEND = `
${IS_AFTER}
${READ_STATE}
local stream, state, order, shares, sizes = unpack(KEYS)
local body, sender, priority = ARGV[1], ARGV[7], ARGV[8]
local entriesMax, bytesMax, totalMax = tonumber(ARGV[2]), tonumber(ARGV[6]), tonumber(ARGV[9])
local overhead = tonumber(ARGV[10])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local expiredTo = string.format('%.0f', now - tonumber(ARGV[3]) - 1)

-- The size of all inboxes: what was appended in the last minute, and up to ten seconds more.
local count = redis.call('XLEN', stream)
local cost = #body + overhead + (count == 0 and tonumber(ARGV[11]) or 0)
local slice, slices, total = math.floor(now / 10000), {}, cost
if totalMax > 0 then
  local cells = redis.call('HGETALL', sizes)
  for at = 1, #cells, 2 do
    if tonumber(cells[at]) < slice - 6 then redis.call('HDEL', sizes, cells[at])
    else
      slices[cells[at]] = true
      total = total + tonumber(cells[at + 1])
    end
  end
  if total > totalMax then return { 'inboxes', 0, 1000 } end
end

local before, bytes, evictedTo, priorityEvictedTo = readState(state)
if count == 0 then
  redis.call('DEL', order, shares)
  bytes = 0
end

${SENDER_SHARES}
for _, entry in ipairs(redis.call('XRANGE', stream, '-', expiredTo, 'COUNT', ${EXPIRED_BATCH})) do remove(entry) end
local limit, hasVictim = exceededLimit(), true
while limit and hasVictim do
  local expired = redis.call('XRANGE', stream, '-', expiredTo, 'COUNT', 1)[1]
  if expired then remove(expired)
  else
    local entry = victim(limit)
    if entry then evict(entry) else hasVictim = false end
  end
  limit = exceededLimit()
end

local function saveState(id)
  local text = id .. string.format(' b%.0f ', bytes) .. evictedTo .. ' ' .. priorityEvictedTo
  redis.call('SET', state, text, 'PX', ARGV[4])
end
if limit then
  if before ~= '' then saveState(before) end
  return { 'inbox', 0, 0 }
end

local id = '*'
if before ~= '' and count == 0 then
  -- Ids of an inbox must grow, even when the stream is new and the clock went back.
  local ms, seq = string.match(before, '^(%d+)-(%d+)$')
  if tonumber(ms) >= now then id = ms .. '-' .. string.format('%d', tonumber(seq) + 1) end
end
id = redis.call('XADD', stream, id, 'p', before, 'b', body, 's', sender, 'r', priority)
bytes = bytes + #body
if sender ~= '' then
  redis.call('ZADD', order, 0, memberOf(sender, priority, id))
  addToShare(sender, 1, #body)
  redis.call('PEXPIRE', order, ARGV[3])
  redis.call('PEXPIRE', shares, ARGV[3])
end
if totalMax > 0 then
  redis.call('HINCRBY', sizes, string.format('%.0f', slice), cost)
  redis.call('PEXPIRE', sizes, 80000)
end
redis.call('PEXPIRE', stream, ARGV[3])
saveState(id)
local usage = totalMax > 0 and math.floor(total * 1000 / totalMax) or 0
return { id, redis.call('PUBLISH', ARGV[5], id), usage }
`;

/**
 * KEYS: stream, state.
 * ARGV: cursor (may be empty), maximum number of entries, TTL of the inbox in ms, maximum bytes.
 * Returns 1 if no entry after the cursor is missing, 1 if more entries follow, the last id, 1 if a
 * high-priority entry was evicted within its TTL, then id and body of each entry after the cursor that has
 * not expired. For a cursor of another bus, or of a Redis that has lost its data since, it returns all
 * entries.
 */
export const READ = `
${IS_AFTER}
${READ_STATE}
local stream, cursor, entriesMax, bytesMax = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local BATCH = 100
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local oldest = now - tonumber(ARGV[3])
local lastId, _, evictedTo, priorityEvictedTo = readState(KEYS[2])
local known = cursor ~= '' and lastId ~= '' and not isAfter(cursor, lastId)
local from = string.format('%.0f', oldest)
if known and tonumber(string.match(cursor, '^(%d+)-')) >= oldest then from = '(' .. cursor end

local reply, count, bytes, more, before, start = { 0, 0, lastId, 0 }, 0, 0, false, lastId, from
if priorityEvictedTo ~= '' and tonumber(string.match(priorityEvictedTo, '^%d+')) >= oldest then reply[4] = 1 end
repeat
  local batch = redis.call('XRANGE', stream, start, '+', 'COUNT', BATCH)
  for _, entry in ipairs(batch) do
    local body = entry[2][4]
    if count == 0 then before = entry[2][2] end
    bytes = bytes + #body
    more = count >= entriesMax or (bytes > bytesMax and count > 0)
    if more then break end
    count = count + 1
    reply[2 * count + 3] = entry[1]
    reply[2 * count + 4] = body
    start = '(' .. entry[1]
  end
until more or #batch < BATCH
if more then reply[2] = 1 end
local complete = known and before ~= '' and not isAfter(before, cursor) and not isAfter(evictedTo, cursor)
if complete then reply[1] = 1 end
return reply
`;
