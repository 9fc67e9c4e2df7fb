// What a guard does within Redis: one script, which nothing can interrupt.

/**
 * KEYS[1] is a hash: what is remembered of one resource, with the fields `x:<slot>` (largest
 * exclusive token) and `s:<slot>` (largest shared one), where the slot of a lock is -1.
 * ARGV: token, mode, number of slots, the slots, then what the write needs.
 * Numbers in Lua are doubles, exact up to 2^53 - 1; stored is the text that came, never a number
 * turned back into text. `write` is the user's part: commands, or a script of his own.
 */
const CHECK = `
local token = tonumber(ARGV[1])
local isShared = ARGV[2] == 'shared'
local slotCount = tonumber(ARGV[3])
local function tokenOf(field)
  local text = redis.call('HGET', KEYS[1], field)
  if not text then return 0, '0' end
  local number = tonumber(text)
  if not number then error('holdfast: ' .. KEYS[1] .. ' ' .. field .. ' is no token') end
  return number, text
end
local function later(left, leftText, right, rightText)
  if left > right then return leftText end
  return rightText
end
local changes = {}
for at = 1, slotCount do
  local slot = ARGV[3 + at]
  local maxExclusive, exclusiveText = tokenOf('x:' .. slot)
  local maxShared, sharedText = tokenOf('s:' .. slot)
  if isShared then
    if not (token > maxExclusive) then return {0, slot, exclusiveText} end
    changes[#changes + 1] = {'s:' .. slot, later(token, ARGV[1], maxShared, sharedText)}
  else
    if not (token >= maxExclusive and token > maxShared) then
      return {0, slot, later(maxExclusive, exclusiveText, maxShared, sharedText)}
    end
    changes[#changes + 1] = {'x:' .. slot, ARGV[1]}
  end
end
for _, change in ipairs(changes) do redis.call('HSET', KEYS[1], change[1], change[2]) end
`;

const COMMANDS = `
local results = {}
local at = 4 + slotCount
while at <= #ARGV do
  local command = {}
  local length = tonumber(ARGV[at])
  for word = 1, length do command[word] = ARGV[at + word] end
  results[#results + 1] = redis.call(unpack(command))
  at = at + length + 1
end
return {1, results}
`;

/** Checks, and runs a list of commands: each as the number of its words, then the words. */
export const COMMANDS_SCRIPT = CHECK + COMMANDS;

/** Checks, and runs a script of the user, which sees its own KEYS and ARGV. */
export function scriptWith(fragment: string): string {
  return `${CHECK}
local function write(KEYS, ARGV)
${fragment}
end
local keys, values = {}, {}
for at = 2, #KEYS do keys[#keys + 1] = KEYS[at] end
for at = 4 + slotCount, #ARGV do values[#values + 1] = ARGV[at] end
return {1, write(keys, values)}
`;
}
