/**
 * The part of the script APPEND that accounts for each sender's share of an inbox and selects the entries to
 * evict (redis-scripts.ts describes the data). Each function is a few look-ups, whatever the number of
 * entries.
 */
export const SENDER_SHARES = `
local function memberOf(owner, rank, id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return owner .. ' ' .. rank .. ' ' .. ms .. '-' .. string.format('%06d', tonumber(seq))
end

local function addToShare(owner, n, b)
  for name, by in pairs({ ['n' .. owner] = -n, ['b' .. owner] = b }) do
    if tonumber(redis.call('ZINCRBY', shares, by, name)) == 0 then
      redis.call('ZREM', shares, name)
    end
  end
end

local function remove(entry)
  local id, size, owner = entry[1], #entry[2][4], entry[2][6] or ''
  redis.call('XDEL', stream, id)
  count, bytes = count - 1, math.max(0, bytes - size)
  if owner ~= '' then
    redis.call('ZREM', order, memberOf(owner, entry[2][8], id))
    addToShare(owner, -1, -size)
  end
  local part = string.format('%.0f', math.floor(tonumber(string.match(id, '^%d+')) / 10000))
  if slices[part] then redis.call('HINCRBY', sizes, part, -size - overhead) end
end

-- Removes an entry within its TTL and advances the watermark, so that readers detect the gap.
local function evict(entry)
  local id = entry[1]
  remove(entry)
  if isAfter(id, evictedTo) then evictedTo = id end
  if entry[2][8] == '1' and isAfter(id, priorityEvictedTo) then priorityEvictedTo = id end
end

-- The limit that the inbox would exceed with the new entry: 'n' entries, 'b' bytes, or false.
local function exceededLimit()
  if count >= entriesMax then return 'n' end
  return count > 0 and bytes + #body > bytesMax and 'b'
end

local function firstEntryOf(owner)
  return redis.call('ZRANGEBYLEX', order, '[' .. owner .. ' 0 ', '(' .. owner .. ' 2', 'LIMIT', 0, 1)[1]
end

-- The entry to evict for the new one; nil if there is none. Among equal shares the sender of the new entry
-- makes room.
local function victim(limit)
  if sender == '' then return redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1] end
  local own = math.abs(tonumber(redis.call('ZSCORE', shares, limit .. sender) or '0'))
  own = own + (limit == 'n' and 1 or #body)
  local index = limit == 'n' and 0 or -1
  local top = redis.call('ZRANGE', shares, index, index, 'WITHSCORES')
  local owner = sender
  if top[1] and math.abs(tonumber(top[2])) > own then owner = string.sub(top[1], 2) end
  local member = firstEntryOf(owner)
  if not member then return nil end
  local rank, id = string.match(string.sub(member, #owner + 2), '^(%d) (%S+)$')
  if owner == sender and rank > priority then return nil end
  id = string.gsub(id, '-0*(%d)', '-%1')
  return redis.call('XRANGE', stream, id, id)[1]
end
`;
