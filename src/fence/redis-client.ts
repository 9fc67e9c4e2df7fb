// How a guard talks to Redis: through whatever client the program has, by one kind of call.

import { HoldfastError } from '../base/error.ts';
import { invalid } from './errors.ts';

/** A client such as ioredis: the words of a command as parameters. */
export interface RedisCaller {
  /** Sends one command. */
  call(command: string, ...words: string[]): Promise<unknown>;
}

/** A client such as node-redis: the words of a command as a list. */
export interface RedisSender {
  /** Sends one command. */
  sendCommand(words: string[]): Promise<unknown>;
}

/**
 * Any other client, or one that is to be told where to send: a function of a command's words, and
 * of the first key among them, if there is one. Of a cluster of node-redis:
 * `(words, key) => cluster.sendCommand(key, false, words)`.
 */
export type RedisFunction = (words: string[], key?: string) => Promise<unknown>;

/** What a guard can talk through. */
export type RedisClient = RedisCaller | RedisSender | RedisFunction;

/** Scripts of whose text the server's name is remembered. */
const SCRIPTS_MAX = 1_000;

/** Runs scripts by their names, and with their texts where the server does not know them. */
export class RedisScripts {
  private readonly send: RedisFunction;
  private readonly names = new Map<string, string>();

  constructor(client: RedisClient) {
    this.send = senderOf(client);
  }

  /** Sends one command about a key. */
  command(words: string[], key: string): Promise<unknown> {
    return this.send(words, key);
  }

  /** Makes the server know a script. */
  async load(text: string): Promise<void> {
    const name = await this.send(['SCRIPT', 'LOAD', text]);
    if (typeof name !== 'string') throw unexpected('SCRIPT LOAD', 'the name of the script');
    if (this.names.size < SCRIPTS_MAX) this.names.set(text, name);
  }

  /** What the script returns; it is run once. */
  async run(text: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const words = [String(keys.length), ...keys, ...values];
    const name = this.names.get(text);
    if (name !== undefined) {
      try {
        return await this.send(['EVALSHA', name, ...words], keys[0]);
      } catch (error) {
        // Another server by now, or one that was started again. Nothing ran.
        if (!isUnknownScript(error)) throw error;
      }
    }
    const result = await this.send(['EVAL', text, ...words], keys[0]);
    // Whoever may not load scripts sends the text each time.
    if (name === undefined) await this.load(text).catch(() => undefined);
    return result;
  }
}

/** The error for an answer that Redis does not give to what was asked. */
export function unexpected(command: string, expected: string): HoldfastError {
  const text =
    `Redis did not answer ${command} with ${expected}: ` +
    `does the client change replies, or something stand between?`;
  return new HoldfastError('STORAGE', text, { outcome: 'unknown' });
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT No matching script');
}

function senderOf(client: RedisClient): RedisFunction {
  if (typeof client === 'function') return client;
  // Callers without types may give anything.
  const given: unknown = client;
  if (typeof given === 'object' && given !== null) {
    // It would take the words for a key, and fail in its own way.
    if ('sendCommand' in given && 'masters' in given) {
      throw invalid('client', 'of a cluster of node-redis a function (docs/fencing.md)', given);
    }
    // It is put before the keys of a script, and not before those within a list of commands.
    if ('options' in given && hasKeyPrefix(given.options)) {
      throw invalid('client', 'without keyPrefix: see the option key of redisFence', given);
    }
    if ('call' in client) return ([command = '', ...words]) => client.call(command, ...words);
    if ('sendCommand' in client) return (words) => client.sendCommand(words);
  }
  const expected = 'a client with call (ioredis) or sendCommand (node-redis), or a function';
  throw invalid('client', expected, given);
}

function hasKeyPrefix(options: unknown): boolean {
  if (typeof options !== 'object' || options === null || !('keyPrefix' in options)) return false;
  return typeof options.keyPrefix === 'string' && options.keyPrefix !== '';
}
