// A guard of what lives in Redis: the check and the write are one script, so nothing comes between.
// What is remembered lies beside the data: a fail-over that loses the last writes loses both.

import { checkClaim, checkResource, checkSlot, rowsOf } from './claim.ts';
import type { CheckedClaim, FenceClaim } from './claim.ts';
import { invalid, staleToken } from './errors.ts';
import { RedisScripts, unexpected } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';
import { COMMANDS_SCRIPT, scriptWith } from './redis-script.ts';
import type { FenceState } from './rule.ts';

/** What a guard in Redis may be told. */
export interface RedisFenceOptions {
  /**
   * The key under which a resource is remembered; different resources must have different ones.
   * Default `holdfast:fence:{<resource>}`: in a Redis Cluster, keys with the same part in braces
   * lie together, and what is written must lie with what is remembered.
   */
  readonly key?: (resource: string) => string;
}

/** A script of the user's own, run after the check, in one step with it. */
export interface RedisScript {
  /** Lua; its KEYS and ARGV are the ones below. What it returns comes back. */
  readonly script: string;
  /** Keys that it uses. None unless given. */
  readonly keys?: readonly string[];
  /** Its arguments; numbers as decimal texts. None unless given. */
  readonly args?: readonly (string | number)[];
}

/** See redisFence. */
export interface RedisFence {
  /** Makes the server know the script; not needed, but then the first write sends it. */
  setUp(): Promise<void>;
  /**
   * Checks the claim and runs commands such as `['SET', key, value]`, or a script, in one step;
   * resolves with their replies, a list for commands. Rejects with STALE_TOKEN or INVALID, and
   * nothing is written. Redis takes nothing back: when a command fails, those before it are done,
   * and the token is remembered.
   */
  write(
    resource: string,
    claim: FenceClaim,
    what: readonly (readonly (string | number)[])[] | RedisScript,
  ): Promise<unknown>;
  /** What is remembered of a resource, or of a slot of it. Rejects with INVALID or STORAGE. */
  seen(resource: string, slot?: number): Promise<FenceState>;
}

/**
 * A guard in Redis, through the program's own client: ioredis, node-redis, or a function that sends
 * the words of a command. Throws INVALID for anything else. The server must not evict or expire the
 * keys of the guard: `maxmemory-policy noeviction` or a `volatile-` one.
 */
export function redisFence(client: RedisClient, options: RedisFenceOptions = {}): RedisFence {
  const scripts = new RedisScripts(client);
  const { key = (resource) => `holdfast:fence:{${resource}}` } = options;
  if (typeof key !== 'function') throw invalid('key', 'a function of the resource', key);
  return {
    setUp: () => scripts.load(COMMANDS_SCRIPT),
    async write(resource, given, what) {
      const claim = checkClaim(resource, given);
      const { script, keys, values } = partsOf(what);
      const rows = rowsOf(claim).map(String);
      const head = [String(claim.token), claim.mode, String(rows.length), ...rows];
      const reply = await scripts.run(script, [key(resource), ...keys], [...head, ...values]);
      return resultOf(reply, claim);
    },
    async seen(resource, slot) {
      const row = checkSlot(slot);
      const place = key(checkResource(resource));
      const reply = await scripts.command(['HMGET', place, `x:${row}`, `s:${row}`], place);
      if (!Array.isArray(reply)) throw unexpected('HMGET', 'a list');
      return { maxExclusive: numberOf(reply[0]), maxShared: numberOf(reply[1]) };
    },
  };
}

interface Parts {
  readonly script: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

function partsOf(what: Parameters<RedisFence['write']>[2]): Parts {
  // Callers without types may give anything.
  const given: unknown = what;
  if (typeof given !== 'object' || given === null || !('script' in given || Array.isArray(given))) {
    throw invalid('what', 'a list of commands, or { script }', given);
  }
  if ('script' in what) {
    const { script, keys = [], args = [] } = what;
    if (typeof script !== 'string') throw invalid('script', 'a text in Lua', script);
    return { script: scriptWith(script), keys, values: args.map(textOf) };
  }
  const values = what.flatMap((command) => {
    const isCommand = Array.isArray(command) && command.length > 0;
    if (!isCommand) throw invalid('command', "a list such as ['SET', key, value]", command);
    return [String(command.length), ...command.map(textOf)];
  });
  return { script: COMMANDS_SCRIPT, keys: [], values };
}

function textOf(word: unknown): string {
  if (typeof word === 'string') return word;
  if (typeof word === 'number') return String(word);
  throw invalid('word of a command', 'a text or a number', word);
}

function resultOf(reply: unknown, claim: CheckedClaim): unknown {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (Number(list[0]) === 1 && list[0] !== undefined) {
    // What a script returned as its error came wrapped into the reply.
    if (list[1] instanceof Error) throw list[1];
    return list[1] ?? null;
  }
  if (list.length !== 3) throw unexpected('the script', 'what it returns');
  const { resource, token, mode } = claim;
  throw staleToken({ resource, slot: Number(list[1]), token, mode, seen: numberOf(list[2]) });
}

function numberOf(text: unknown): number {
  if (text === null) return 0;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw unexpected('the guard', 'a token');
}
