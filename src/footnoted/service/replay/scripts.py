"""What must happen in Redis at once or not at all, in Lua: appending by the owner alone, declaring an owner lost."""

from __future__ import annotations

# Appends frames as one entry whose id is the last frame's number; each frame is a field named by its number.
# KEYS: events, record. ARGV: replica, number, state it ends in or "", ms to keep events, ms to keep the record, fields.
# An owner whose lease has lapsed finds the stream "taken" and can add nothing after the ending its readers were told.
APPEND = """
local state = redis.call('HGET', KEYS[2], 'state')
if not state then return 'gone' end
if redis.call('HGET', KEYS[2], 'replica') ~= ARGV[1] then return 'taken' end
if state ~= 'running' then
  if redis.call('HGET', KEYS[2], 'last') == ARGV[2] and redis.call('HGET', KEYS[2], 'ender') == ARGV[1] then
    return 'again'
  end
  return 'taken'
end
local added = redis.pcall('XADD', KEYS[1], ARGV[2] .. '-0', unpack(ARGV, 6))
if type(added) == 'table' and added['err'] then
  if string.find(added['err'], 'equal or smaller') then return 'again' end
  return redis.error_reply(added['err'])
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[2], 'state', ARGV[3], 'last', ARGV[2], 'ender', ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
end
return 'ok'
"""

# Ends a stream whose owner's lease is gone. KEYS: events, record, lease, places. ARGV: data of the error event,
# ms to keep events, ms to keep the record, the stream's id.
LOST = """
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
if redis.call('HGET', KEYS[2], 'state') ~= 'running' then return 0 end
local number = 1
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if newest[1] then number = tonumber(string.match(newest[1][1], '^(%d+)')) + 1 end
local frame = 'id: ' .. number .. '\\nevent: error\\ndata: ' .. ARGV[1] .. '\\n\\n'
redis.call('XADD', KEYS[1], number .. '-0', tostring(number), frame)
redis.call('HSET', KEYS[2], 'state', 'error', 'last', tostring(number), 'ender', 'lost')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZREM', KEYS[4], ARGV[4])
return number
"""

# A bucket of tokens that fills evenly. KEYS: bucket. ARGV: tokens a second, most. Gives milliseconds to wait, or 0.
RATE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local rate, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(kept[1]) or most
tokens = math.min(most, tokens + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
local wait = 0
if tokens < 1 then wait = math.ceil((1 - tokens) / rate * 1000) else tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(most / rate * 1000) + 1000)
return wait
"""

# A place among those a tenant may have at once. KEYS: places. ARGV: most, who, ms after which a place is free again.
ENTER = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
"""

# Counts what an answer may take in every period, or in none. KEYS: a hash a period, then what is held for answers under
# way. ARGV: who, tokens, money, ms after which nothing is under way any more; then for each period: the most tokens and
# money (-1 for no limit), tokens and money the ledger knows of ("" for not asked), ms to keep it.
HOLD = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local holding = KEYS[#KEYS]
local need = {tonumber(ARGV[2]), tonumber(ARGV[3])}
for period = 1, #KEYS - 1 do
  local at = 4 + (period - 1) * 5
  if redis.call('EXISTS', KEYS[period]) == 0 then
    if ARGV[at + 3] == '' then return {'unknown'} end
    redis.call('HSET', KEYS[period], 'tokens', ARGV[at + 3], 'money', ARGV[at + 4])
    redis.call('PEXPIRE', KEYS[period], ARGV[at + 5])
  end
end
for period = 1, #KEYS - 1 do
  local at = 4 + (period - 1) * 5
  local used = redis.call('HMGET', KEYS[period], 'tokens', 'money')
  for kind = 1, 2 do
    local most = tonumber(ARGV[at + kind])
    if most >= 0 and tonumber(used[kind]) + need[kind] > most then
      local tokens, money = 0, 0
      local all = redis.call('HGETALL', holding)
      for each = 1, #all, 2 do
        local t, m, till = string.match(all[each + 1], '^(%d+) (%d+) (%d+)$')
        if tonumber(till) > now then
          tokens, money = tokens + tonumber(t), money + tonumber(m)
        else
          redis.call('HDEL', holding, all[each])
        end
      end
      return {'full', period, kind - 1, used[1], used[2], string.format('%.0f', tokens), string.format('%.0f', money)}
    end
  end
end
for period = 1, #KEYS - 1 do
  redis.call('HINCRBY', KEYS[period], 'tokens', ARGV[2])
  redis.call('HINCRBY', KEYS[period], 'money', ARGV[3])
end
local till = string.format('%.0f', now + tonumber(ARGV[4]))
redis.call('HSET', holding, ARGV[1], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. till)
redis.call('PEXPIRE', holding, ARGV[4])
return {'held'}
"""

# Counts what an answer took instead of what was held for it, once. KEYS as above. ARGV: who, more tokens, more money.
SETTLE = """
if redis.call('HDEL', KEYS[#KEYS], ARGV[1]) == 0 then return 0 end
for period = 1, #KEYS - 1 do
  if redis.call('EXISTS', KEYS[period]) == 1 then
    redis.call('HINCRBY', KEYS[period], 'tokens', ARGV[2])
    redis.call('HINCRBY', KEYS[period], 'money', ARGV[3])
  end
end
return 1
"""
