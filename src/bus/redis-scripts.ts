/**
 * The scripts of the Redis adapter; each is one round trip and runs as one step (Redis 6.2 or later).
 *
 * An inbox is a stream of `p` (the id of the entry before it in this inbox, empty where that is not
 * known), `b` (the body), `e` (where the body ends, if all bodies ever were one text), `l` (the lane)
 * and `q` (the id of the entry before it in its lane, or of a place that no reader of the lane missed
 * anything before). Beside it stand its head, a key that holds the id of the last entry, where its body
 * ends, and an offset at or before the first body that is kept; and its lanes, a hash of the id of the
 * last entry of each. Both outlive the stream, so that a reader learns whether anything came after its
 * cursor even when all is gone.
 *
 * The hash holds besides: `=`, the last entry that it knows of; `?`, up to where entries may have no
 * lane, since nodes before lanes wrote some; `-`, up to where entries may be of a lane that is not in it.
 */

/** Reads the parts of ids: text that is empty stands before all. */
const IS_AFTER = `
local function isAfter(a, b)
  if a == '' or b == '' then return a ~= '' end
  local ams, aseq = string.match(a, '^(%d+)-(%d+)$')
  local bms, bseq = string.match(b, '^(%d+)-(%d+)$')
  ams, bms = tonumber(ams), tonumber(bms)
  return ams > bms or (ams == bms and tonumber(aseq) > tonumber(bseq))
end
`;

/**
 * KEYS stream, head, lanes; ARGV body, entries at most, inbox ms, head ms, channel, bytes at most, lane
 * or empty where none are told apart, lanes at most. Answers the id and how many heard of it.
 */
export const APPEND = `
${IS_AFTER}
local stream, head, lanes, lane = KEYS[1], KEYS[2], KEYS[3], ARGV[7]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local before, ended, first = string.match(redis.call('GET', head) or '', '^(%S+) ?(%d*) ?(%d*)$')
before, ended, first = before or '', tonumber(ended) or 0, tonumber(first) or 0
local id = '*'
if before ~= '' and redis.call('EXISTS', stream) == 0 then
  -- Ids of an inbox must grow, even when the stream is a new one and the clock went back.
  local ms, seq = string.match(before, '^(%d+)-(%d+)$')
  if tonumber(ms) >= now then id = ms .. '-' .. string.format('%d', tonumber(seq) + 1) end
end
local known, others, last = false, false, false
if lane ~= '' then
  if before == '' then
    -- Nothing is known of what was before, so nobody's place before now is vouched for.
    redis.call('DEL', lanes)
    others = string.format('%.0f-0', now - 1)
    redis.call('HSET', lanes, '-', others)
  else
    local found = redis.call('HMGET', lanes, '=', '-', lane)
    known, others, last = found[1], found[2], found[3]
    if known ~= before then redis.call('HSET', lanes, '?', before) end
  end
end
local ends = ended + #ARGV[1]
id = redis.call('XADD', stream, 'MAXLEN', '=', ARGV[2], id, 'p', before, 'b', ARGV[1],
  'e', string.format('%.0f', ends), 'l', lane, 'q', last or others or '')
redis.call('XTRIM', stream, 'MINID', '=', string.format('%.0f', now - tonumber(ARGV[3])))
-- Only when the bodies may be too much the first ones are looked at.
while ends - first > tonumber(ARGV[6]) do
  local entry = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  first = (tonumber(entry[2][6]) or ends) - #entry[2][4]
  if entry[1] == id then break end
  if ends - first > tonumber(ARGV[6]) then redis.call('XDEL', stream, entry[1]) end
end
redis.call('PEXPIRE', stream, ARGV[3])
redis.call('SET', head, id .. string.format(' %.0f %.0f', ends, first), 'PX', ARGV[4])
if lane ~= '' then
  redis.call('HSET', lanes, '=', id, lane, id)
  -- Beside the lanes told apart there are the one for everybody and three fields of other meaning.
  if not last and redis.call('HLEN', lanes) > tonumber(ARGV[8]) + 3 then
    local all, oldest, count = redis.call('HGETALL', lanes), false, 0
    for at = 1, #all, 2 do
      if #all[at] > 1 then
        count = count + 1
        if not oldest or isAfter(all[oldest + 1], all[at + 1]) then oldest = at end
      end
    end
    if count > tonumber(ARGV[8]) then
      redis.call('HDEL', lanes, all[oldest])
      if isAfter(all[oldest + 1], others or '') then
        redis.call('HSET', lanes, '-', all[oldest + 1])
      end
    end
  end
  redis.call('PEXPIRE', lanes, ARGV[4])
end
return { id, redis.call('PUBLISH', ARGV[5], id) }
`;

/**
 * KEYS stream, head, lanes; ARGV cursor or empty, entries at most, inbox ms, bytes at most, then the
 * lanes to judge by, if not all. Answers 1 if nothing is missing, 1 if more follows, the head, then the entries
 * after the cursor that are not too old, each as id and b in a row; all there are for a cursor that is
 * of another bus, or of a Redis that has lost its memory since.
 */
export const READ = `
${IS_AFTER}
local stream, cursor, most, bytesMost = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local BATCH = 100
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local oldest = now - tonumber(ARGV[3])
local head = string.match(redis.call('GET', KEYS[2]) or '', '^%S*')
local known = cursor ~= '' and head ~= '' and not isAfter(cursor, head)
local from = string.format('%.0f', oldest)
if known and tonumber(string.match(cursor, '^(%d+)-')) >= oldest then from = '(' .. cursor end

local function batchAfter(place)
  return redis.call('XRANGE', stream, place, '+', 'COUNT', BATCH)
end

local function lanesAreComplete()
  local fields = { '=', '?', '-' }
  for at = 5, #ARGV do fields[at - 1] = ARGV[at] end
  local ids = redis.call('HMGET', KEYS[3], unpack(fields))
  if ids[1] ~= head or isAfter(ids[2] or '', cursor) then return false end
  -- Lanes in which something came after the cursor: the first of it must be here, and nothing before.
  local open, count = {}, 0
  for at = 4, #fields do
    if isAfter(ids[at] or ids[3] or '', cursor) then
      if not ids[at] then return false end
      if not open[fields[at]] then count = count + 1 end
      open[fields[at]] = true
    end
  end
  local place = from
  while count > 0 do
    local batch = batchAfter(place)
    for _, entry in ipairs(batch) do
      local lane = entry[2][8]
      if lane and open[lane] then
        if isAfter(entry[2][10], cursor) then return false end
        open[lane] = nil
        count = count - 1
      end
    end
    if #batch < BATCH then break end
    place = '(' .. batch[#batch][1]
  end
  return count == 0
end

local answer, count, bytes, more, before, place = { 0, 0, head }, 0, 0, false, head, from
repeat
  local batch = batchAfter(place)
  for _, entry in ipairs(batch) do
    local body = entry[2][4]
    if count == 0 then before = entry[2][2] end
    bytes = bytes + #body
    more = count >= most or (bytes > bytesMost and count > 0)
    if more then break end
    count = count + 1
    answer[2 * count + 2] = entry[1]
    answer[2 * count + 3] = body
    place = '(' .. entry[1]
  end
until more or #batch < BATCH
if more then answer[2] = 1 end
if known then
  local whole = before ~= '' and not isAfter(before, cursor)
  if whole or (#ARGV > 4 and lanesAreComplete()) then answer[1] = 1 end
end
return answer
`;
