import { SHARES } from "./shares-script";

/**
 * The scripts of the Redis adapter; each is one round trip and runs as one step (Redis 6.2 or later).
 *
 * An inbox is a stream of `p` (the id of the entry before it in this inbox, empty where that is not
 * known), `b` (the body), `e` (nothing: nodes before shares look for a number there), `l` (the lane), `q` (the
 * id of the entry before it in its lane, or of a place that no reader of the lane missed anything before), `s`
 * (the sender) and `r` (1 for a lasting entry). Beside it stand
 *
 * - its head, a key that holds the id of the last entry, the bytes of all bodies, the last id that was taken
 *   out since there was too much, and the last of these that was lasting;
 * - its lanes, a hash of the id of the last entry of each and the last id that was taken out of it;
 * - its order, a sorted set of `sender rank id` of each entry, all of one score: so a sender's entries stand
 *   together, and the one to go next is its first;
 * - its shares, a sorted set of what each sender holds: `b` and its name by bytes, `n` and its name by entries,
 *   which are counted below zero, so that the largest holdings stand at the two ends.
 *
 * Head and lanes outlive the stream, so that a reader learns whether anything came after its cursor even when
 * all is gone. The other two do not; entries of no sender are in neither. For all inboxes there is one hash,
 * of the bytes that were appended within each ten seconds and still stand there.
 *
 * The hash of lanes holds besides: `=`, the last entry that it knows of; `?`, up to where entries may have no
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

/** Reads what stands in a head. */
const READ_HEAD = `
local function readHead(key)
  local text = redis.call('GET', key) or ''
  local id, bytes, gone, lost = string.match(text, '^(%S+) b(%d+) (%S*) (%S*)$')
  return id or string.match(text, '^%S*'), tonumber(bytes) or 0, gone or '', lost or ''
end
`;

/** Entries past their time that one append takes out at most. */
const EXPIRED_AT_ONCE = 20;

/**
 * KEYS stream, head, lanes, order, shares, sizes; ARGV body, entries at most, inbox ms, head ms, channel, bytes
 * at most, lane or empty where none are told apart, lanes at most, sender or empty for nobody, 1 for a lasting
 * entry, bytes of all inboxes at most or 0 for any, bytes that an entry counts for there beside its body, bytes
 * that an inbox counts for. Answers the id, how many heard of it and how full all inboxes are in thousandths; in
 * place of the id `inbox` or `inboxes`, whichever is too full.
 */
export const APPEND = `
${IS_AFTER}
${READ_HEAD}
local stream, head, lanes, order, shares, sizes = unpack(KEYS)
local body, lane, sender, rank = ARGV[1], ARGV[7], ARGV[9], ARGV[10]
local entriesMost, bytesMost, allMost = tonumber(ARGV[2]), tonumber(ARGV[6]), tonumber(ARGV[11])
local extra = tonumber(ARGV[12])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local dead = string.format('%.0f', now - tonumber(ARGV[3]) - 1)

-- What all inboxes hold: what was appended in the last minute, and up to ten seconds more.
local count = redis.call('XLEN', stream)
local cost = #body + extra + (count == 0 and tonumber(ARGV[13]) or 0)
local slice, all, held = math.floor(now / 10000), {}, cost
if allMost > 0 then
  local cells = redis.call('HGETALL', sizes)
  for at = 1, #cells, 2 do
    if tonumber(cells[at]) < slice - 6 then redis.call('HDEL', sizes, cells[at])
    else
      all[cells[at]] = true
      held = held + tonumber(cells[at + 1])
    end
  end
  if held > allMost then return { 'inboxes', 0, 1000 } end
end

local before, bytes, gone, lost = readHead(head)
if count == 0 then
  redis.call('DEL', order, shares)
  bytes = 0
end

${SHARES}
for _, entry in ipairs(redis.call('XRANGE', stream, '-', dead, 'COUNT', ${EXPIRED_AT_ONCE})) do take(entry) end
local kind, room = excess(), true
while kind and room do
  local expired = redis.call('XRANGE', stream, '-', dead, 'COUNT', 1)[1]
  if expired then take(expired)
  else
    local entry = nextToGo(kind)
    if entry then trim(entry) else room = false end
  end
  kind = excess()
end

local function keepHead(id)
  local text = id .. string.format(' b%.0f ', bytes) .. gone .. ' ' .. lost
  redis.call('SET', head, text, 'PX', ARGV[4])
end
if kind then
  if before ~= '' then keepHead(before) end
  return { 'inbox', 0, 0 }
end

local id = '*'
if before ~= '' and count == 0 then
  -- Ids of an inbox must grow, even when the stream is a new one and the clock went back.
  local ms, seq = string.match(before, '^(%d+)-(%d+)$')
  if tonumber(ms) >= now then id = ms .. '-' .. string.format('%d', tonumber(seq) + 1) end
end
local known, others, place, last, trimmed = false, false, false, false, false
if lane ~= '' then
  if before == '' then
    -- Nothing is known of what was before, so nobody's place before now is vouched for.
    redis.call('DEL', lanes)
    others = string.format('%.0f-0', now - 1)
    redis.call('HSET', lanes, '-', others)
  else
    local found = redis.call('HMGET', lanes, '=', '-', lane)
    known, others, place = found[1], found[2], found[3]
    if known ~= before then redis.call('HSET', lanes, '?', before) end
    if place then last, trimmed = string.match(place, '^(%S+)( ?%S*)$') end
  end
end
id = redis.call('XADD', stream, id, 'p', before, 'b', body, 'e', '', 'l', lane,
  'q', last or others or '', 's', sender, 'r', rank)
bytes = bytes + #body
if sender ~= '' then
  redis.call('ZADD', order, 0, memberOf(sender, rank, id))
  change(sender, 1, #body)
  redis.call('PEXPIRE', order, ARGV[3])
  redis.call('PEXPIRE', shares, ARGV[3])
end
if allMost > 0 then
  redis.call('HINCRBY', sizes, string.format('%.0f', slice), cost)
  redis.call('PEXPIRE', sizes, 80000)
end
redis.call('PEXPIRE', stream, ARGV[3])
keepHead(id)
if lane ~= '' then
  redis.call('HSET', lanes, '=', id, lane, id .. (trimmed or ''))
  -- Beside the lanes told apart there are the one for everybody and three fields of other meaning.
  if not last and redis.call('HLEN', lanes) > tonumber(ARGV[8]) + 3 then
    local cells, oldest, total = redis.call('HGETALL', lanes), false, 0
    for at = 1, #cells, 2 do
      if #cells[at] > 1 then
        total = total + 1
        cells[at + 1] = string.match(cells[at + 1], '^%S+')
        if not oldest or isAfter(cells[oldest + 1], cells[at + 1]) then oldest = at end
      end
    end
    if total > tonumber(ARGV[8]) then
      redis.call('HDEL', lanes, cells[oldest])
      if isAfter(cells[oldest + 1], others or '') then
        redis.call('HSET', lanes, '-', cells[oldest + 1])
      end
    end
  end
  redis.call('PEXPIRE', lanes, ARGV[4])
end
local fullness = allMost > 0 and math.floor(held * 1000 / allMost) or 0
return { id, redis.call('PUBLISH', ARGV[5], id), fullness }
`;

/**
 * KEYS stream, head, lanes; ARGV cursor or empty, entries at most, inbox ms, bytes at most, then the
 * lanes to judge by, if not all. Answers 1 if nothing is missing, 1 if more follows, the head, 1 if a lasting
 * entry was taken out within its time, then the entries after the cursor that are not too old, each as id and b
 * in a row; all there are for a cursor that is of another bus, or of a Redis that has lost its memory since.
 */
export const READ = `
${IS_AFTER}
${READ_HEAD}
local stream, cursor, most, bytesMost = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local BATCH = 100
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local oldest = now - tonumber(ARGV[3])
local head, _, gone, lost = readHead(KEYS[2])
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
    local last, trimmed = string.match(ids[at] or '', '^(%S+) ?(%S*)$')
    if isAfter(last or ids[3] or '', cursor) then
      if not last or isAfter(trimmed, cursor) then return false end
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

local answer, count, bytes, more, before, place = { 0, 0, head, 0 }, 0, 0, false, head, from
if lost ~= '' and tonumber(string.match(lost, '^%d+')) >= oldest then answer[4] = 1 end
repeat
  local batch = batchAfter(place)
  for _, entry in ipairs(batch) do
    local body = entry[2][4]
    if count == 0 then before = entry[2][2] end
    bytes = bytes + #body
    more = count >= most or (bytes > bytesMost and count > 0)
    if more then break end
    count = count + 1
    answer[2 * count + 3] = entry[1]
    answer[2 * count + 4] = body
    place = '(' .. entry[1]
  end
until more or #batch < BATCH
if more then answer[2] = 1 end
if known then
  local whole = before ~= '' and not isAfter(before, cursor) and not isAfter(gone, cursor)
  if whole or (#ARGV > 4 and lanesAreComplete()) then answer[1] = 1 end
end
return answer
`;
