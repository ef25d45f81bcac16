/**
 * The part of the script APPEND that knows what each sender holds of an inbox (redis-scripts.ts says how it is
 * kept): what one entry changes, and which entry makes room for another. Each is a few look-ups, however many
 * entries there are.
 */
export const SHARES = `
local function memberOf(who, level, id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return who .. ' ' .. level .. ' ' .. ms .. '-' .. string.format('%06d', tonumber(seq))
end

local function change(who, n, b)
  for name, by in pairs({ ['n' .. who] = -n, ['b' .. who] = b }) do
    if tonumber(redis.call('ZINCRBY', shares, by, name)) == 0 then
      redis.call('ZREM', shares, name)
    end
  end
end

local function take(entry)
  local id, size, who = entry[1], #entry[2][4], entry[2][12] or ''
  redis.call('XDEL', stream, id)
  count, bytes = count - 1, math.max(0, bytes - size)
  if who ~= '' then
    redis.call('ZREM', order, memberOf(who, entry[2][14], id))
    change(who, -1, -size)
  end
  local part = string.format('%.0f', math.floor(tonumber(string.match(id, '^%d+')) / 10000))
  if all[part] then redis.call('HINCRBY', sizes, part, -size - extra) end
end

-- An entry that goes though its time is not over: readers are told.
local function trim(entry)
  local id, of = entry[1], entry[2][8] or ''
  take(entry)
  if isAfter(id, gone) then gone = id end
  if entry[2][14] == '1' and isAfter(id, lost) then lost = id end
  local place = of ~= '' and redis.call('HGET', lanes, of)
  if not place then return end
  local last, trimmed = string.match(place, '^(%S+) ?(%S*)$')
  if isAfter(id, trimmed) then redis.call('HSET', lanes, of, last .. ' ' .. id) end
end

local function excess()
  if count >= entriesMost then return 'n' end
  return count > 0 and bytes + #body > bytesMost and 'b'
end

local function firstOf(who)
  return redis.call('ZRANGEBYLEX', order, '[' .. who .. ' 0 ', '(' .. who .. ' 2', 'LIMIT', 0, 1)[1]
end

-- The entry that makes room for this one; nil where none may. Of those who hold as much, it is the one who
-- wants more.
local function nextToGo(kind)
  if sender == '' then return redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1] end
  local mine = math.abs(tonumber(redis.call('ZSCORE', shares, kind .. sender) or '0'))
  mine = mine + (kind == 'n' and 1 or #body)
  local place = kind == 'n' and 0 or -1
  local top = redis.call('ZRANGE', shares, place, place, 'WITHSCORES')
  local who = sender
  if top[1] and math.abs(tonumber(top[2])) > mine then who = string.sub(top[1], 2) end
  local member = firstOf(who)
  if not member then return nil end
  local level, id = string.match(string.sub(member, #who + 2), '^(%d) (%S+)$')
  if who == sender and level > rank then return nil end
  id = string.gsub(id, '-0*(%d)', '-%1')
  return redis.call('XRANGE', stream, id, id)[1]
end
`;
