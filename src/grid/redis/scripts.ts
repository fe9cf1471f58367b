import { createHash } from 'node:crypto';
import { ENTRY_OVERHEAD_BYTES } from '../contract.ts';

/** A script that the server runs whole, before anybody else's command. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

function script(source: string): Script {
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

const LARGEST = String(Number.MAX_SAFE_INTEGER);

/** KEYS: entry. ARGV: step, time to live or ''. → { value, remaining ms or -1 } */
export const incrementScript = script(`
local remaining = redis.call('PTTL', KEYS[1])
if remaining == -2 then
  if ARGV[2] == '' then
    redis.call('SET', KEYS[1], ARGV[1])
    return { tonumber(ARGV[1]), -1 }
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return { tonumber(ARGV[1]), tonumber(ARGV[2]) }
end
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
if value > ${LARGEST} or value < -${LARGEST} then
  redis.call('DECRBY', KEYS[1], ARGV[1])
  return redis.error_reply('ERR increment or decrement would overflow')
end
return { value, remaining }
`);

/** KEYS: entry. ARGV: whether an entry is expected, which, whether one is to follow, which, time to live or ''. → { 0 or 1 } */
export const compareAndSetScript = script(`
local current = redis.call('GET', KEYS[1])
if ARGV[1] == '1' then
  if current ~= ARGV[2] then return { 0 } end
elseif current then
  return { 0 }
end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
elseif ARGV[5] == '' then
  redis.call('SET', KEYS[1], ARGV[4])
else
  redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
end
return { 1 }
`);

/**
 * Maps with a limit keep an index beside their entries, all in one slot: who was used when, what expires when, and how
 * large each entry is; the size of the whole stands under the empty key.
 * KEYS: entry (or just the beginning of all entries' names), used, expiry, sizes. ARGV: key, …
 */
const indexed = (body: string) =>
  script(`
local entry, used, expiry, sizes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local key = ARGV[1]
local beginning = string.sub(entry, 1, #entry - #key)
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local function forget(one)
  redis.call('DEL', beginning .. one)
  redis.call('ZREM', used, one)
  redis.call('ZREM', expiry, one)
  local bytes = redis.call('HGET', sizes, one)
  if bytes then
    redis.call('HDEL', sizes, one)
    redis.call('HINCRBY', sizes, '', -bytes)
  end
end

local function sweep(count)
  for _, one in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, count)) do forget(one) end
end

local function note(value, ttl)
  local bytes = #key + #value + ${ENTRY_OVERHEAD_BYTES}
  local before = redis.call('HGET', sizes, key) or 0
  redis.call('HSET', sizes, key, bytes)
  redis.call('HINCRBY', sizes, '', bytes - before)
  redis.call('ZADD', used, string.format('%.0f', micros), key)
  if ttl == '' then
    redis.call('ZREM', expiry, key)
  else
    redis.call('ZADD', expiry, string.format('%.0f', now + ttl), key)
  end
end

local function store(value, ttl)
  if ttl == '' then
    redis.call('SET', entry, value)
  else
    redis.call('SET', entry, value, 'PX', ttl)
  end
  note(value, ttl)
end

local function makeRoom(maxEntries, maxBytes)
  local evicted = 0
  sweep(100)
  while (maxEntries ~= '' and redis.call('ZCARD', used) > tonumber(maxEntries))
    or (maxBytes ~= '' and tonumber(redis.call('HGET', sizes, '') or 0) > tonumber(maxBytes)) do
    local oldest = redis.call('ZRANGE', used, 0, 0)[1]
    if not oldest then
      redis.call('DEL', sizes)
      break
    end
    forget(oldest)
    evicted = evicted + 1
  end
  return evicted
end
${body}`);

/** → the value or nothing */
export const limitedGetScript = indexed(`
local value = redis.call('GET', entry)
if value then
  redis.call('ZADD', used, 'XX', string.format('%.0f', micros), key)
elseif redis.call('ZSCORE', used, key) then
  forget(key)
end
return value
`);

/** ARGV: key, value, time to live or '', most entries or '', most bytes or ''. → how many entries had to go */
export const limitedSetScript = indexed(`
store(ARGV[2], ARGV[3])
return makeRoom(ARGV[4], ARGV[5])
`);

/** ARGV: key. → how many there were */
export const limitedDeleteScript = indexed(`
local existed = redis.call('EXISTS', entry)
forget(key)
return existed
`);

/** ARGV: key, step, time to live or '', most entries or '', most bytes or ''. → { value, remaining ms or -1, evicted } */
export const limitedIncrementScript = indexed(`
local remaining = redis.call('PTTL', entry)
if remaining == -2 then
  store(ARGV[2], ARGV[3])
  local evicted = makeRoom(ARGV[4], ARGV[5])
  return { tonumber(ARGV[2]), ARGV[3] == '' and -1 or tonumber(ARGV[3]), evicted }
end
local value = redis.call('INCRBY', entry, ARGV[2])
if value > ${LARGEST} or value < -${LARGEST} then
  redis.call('DECRBY', entry, ARGV[2])
  return redis.error_reply('ERR increment or decrement would overflow')
end
redis.call('ZADD', used, 'XX', string.format('%.0f', micros), key)
return { value, remaining, 0 }
`);

/** ARGV: key, then as compareAndSetScript, most entries or '', most bytes or ''. → { 0 or 1, evicted } */
export const limitedCompareAndSetScript = indexed(`
local current = redis.call('GET', entry)
if ARGV[2] == '1' then
  if current ~= ARGV[3] then return { 0, 0 } end
elseif current then
  return { 0, 0 }
end
if ARGV[4] == '0' then
  forget(key)
  return { 1, 0 }
end
store(ARGV[5], ARGV[6])
return { 1, makeRoom(ARGV[7], ARGV[8]) }
`);

/** ARGV: '', how many keys to list. → { how many entries, keys… } */
export const limitedListScript = indexed(`
sweep(10000)
local keys = {}
if tonumber(ARGV[2]) > 0 then keys = redis.call('ZRANGE', used, 0, ARGV[2] - 1) end
table.insert(keys, 1, tostring(redis.call('ZCARD', used)))
return keys
`);

/** ARGV: '', how many entries to take away at most. → how many went */
export const limitedClearScript = indexed(`
local some = redis.call('ZRANGE', used, 0, ARGV[2] - 1)
for _, one in ipairs(some) do forget(one) end
if redis.call('ZCARD', used) == 0 then redis.call('DEL', expiry, sizes) end
return #some
`);
