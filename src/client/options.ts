// What a client may be told. Everything is checked before any input or output, and every refusal
// names the option, its limits and what came.

import { HoldfastError, describeValue } from '../base/error.ts';
import { utf8Length } from '../base/name.ts';
import { readSessionText } from './hand-over.ts';
import type { SavedSession } from './hand-over.ts';

/** Links of one client: one to every node (DESIGN.md §6). */
const NODES_MAX = 7;
/** Least and greatest TTL; the cluster may allow less. */
const TTL_MS_MIN = 1_000;
/** One day. */
const TTL_MS_MAX = 86_400_000;
/** Of a session's or a grant's metadata, as JSON text. */
export const META_BYTES_MAX = 4_096;
const NAME_BYTES_MAX = 256;
const LOCK_DELAY_MS_MAX = 60_000;
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):\d{1,5}$/;

/** A JSON object for display: in inspection and in the error of whoever finds the lock busy. */
export type Meta = Readonly<Record<string, unknown>>;

/** What a client may be told. */
export interface ClientOptions {
  /** Addresses `host:port` of the cluster's nodes, 1 to 7. One that is up tells of the others. */
  readonly nodes: readonly string[];
  /** Who this is, for others to see. Default `client`. */
  readonly name?: string;
  /**
   * How long a silent holder keeps its locks: a whole number of milliseconds from 1,000 to
   * 86,400,000 (the cluster may allow less), default 15,000. `null`: until an operator breaks it.
   */
  readonly ttlMs?: number | null;
  /** How long locks stay closed to others after an expiry, 0 (default) to 60,000. */
  readonly lockDelayMs?: number;
  /** At most 4 KiB as JSON text. */
  readonly meta?: Meta;
  /** How long an acquire waits in the queue unless it says otherwise. Default 30,000. */
  readonly waitMs?: number;
  /** How long a request is tried while no node answers it, then it rejects. Default 10,000. */
  readonly requestMs?: number;
  /**
   * How long before the end of the lease the signals fire, at most half the TTL. Default: a
   * twentieth of the TTL, at least 50, at most 1,000.
   */
  readonly marginMs?: number;
  /**
   * From where leases are renewed: from the event loop (default), which must not be blocked for as
   * long as the TTL, or from a worker thread of its own. `worker` needs `maxHoldMs`.
   */
  readonly keepAlive?: KeepAlive;
  /**
   * How long a lock is held at most, from 1 to 86,400,000, counted from the moment at which this
   * client learns of the grant: then it is believed no more (HOLD_OVER) and given back, if need be
   * by not renewing the session any more. Work that takes longer runs without the lock from then
   * on: watch the signal, and give the token to what is protected. No limit unless given.
   */
  readonly maxHoldMs?: number;
  /**
   * A text of ClientSession.save of a former life of this process, which must have ended: goes on
   * with its session and all that it held (Client.grants). `name`, `meta`, `lockDelayMs` and the
   * TTL stay as they were; they count for another session after a loss. A session that has expired
   * cannot be resumed, and its lock-delay keeps its former holder out like everybody else. `ready`
   * rejects with SESSION_GONE then, with the reason of the loss when the session is lost while it
   * is resumed (ClientSession.signal), and with CLUSTER_CHANGED at the nodes of another cluster.
   */
  readonly resume?: string;
}

/** See ClientOptions.keepAlive. */
export type KeepAlive = 'loop' | 'worker';

/** Checked options with their defaults. */
export interface Settings {
  readonly nodes: readonly string[];
  readonly name: string;
  readonly ttlMs: number | null;
  readonly lockDelayMs: number;
  /** JSON text. */
  readonly meta: string;
  readonly waitMs: number;
  readonly requestMs: number;
  readonly marginMs: number;
  readonly keepAlive: KeepAlive;
  /** Infinity: no limit. */
  readonly maxHoldMs: number;
  readonly resume: SavedSession | null;
}

/** The names of all options. */
export const CLIENT_OPTIONS: readonly string[] = [
  'nodes',
  'name',
  'ttlMs',
  'lockDelayMs',
  'meta',
  'waitMs',
  'requestMs',
  'marginMs',
  'keepAlive',
  'maxHoldMs',
  'resume',
] satisfies readonly (keyof ClientOptions)[];

/** Throws HoldfastError INVALID. */
export function checkOptions(options: ClientOptions): Settings {
  checkKnown(options, CLIENT_OPTIONS);
  const resume = options.resume === undefined ? null : readSessionText(options.resume);
  const normalMs = resume === null ? 15_000 : resume.ttlMs;
  const ttlMs = checkTtl(options.ttlMs === undefined ? normalMs : options.ttlMs);
  const marginMsMax = Math.floor((ttlMs ?? TTL_MS_MAX) / 2);
  const usualMs = Math.min(1_000, Math.max(50, Math.floor((ttlMs ?? TTL_MS_MAX) / 20)));
  // Null is no way to leave a number out: it may be a reading that went wrong.
  const { name = 'client', lockDelayMs = 0, waitMs = 30_000, requestMs = 10_000 } = options;
  const { marginMs = usualMs } = options;
  return {
    nodes: checkNodes(options.nodes),
    name: checkText('name', name, NAME_BYTES_MAX),
    ttlMs,
    lockDelayMs: checkWhole('lockDelayMs', lockDelayMs, [0, LOCK_DELAY_MS_MAX]),
    meta: checkMeta(options.meta),
    waitMs: checkWaitMs(waitMs),
    requestMs: checkWhole('requestMs', requestMs, [1, TTL_MS_MAX]),
    marginMs: checkWhole('marginMs', marginMs, [0, marginMsMax]),
    keepAlive: checkKeepAlive(options),
    maxHoldMs: checkMaxHoldMs(options.maxHoldMs),
    resume,
  };
}

/** Milliseconds; Infinity when left out. Throws HoldfastError INVALID. */
export function checkMaxHoldMs(value: unknown): number {
  return value === undefined ? Infinity : checkWhole('maxHoldMs', value, [1, TTL_MS_MAX]);
}

/** A whole number within the limits, both inclusive. Throws HoldfastError INVALID. */
export function checkWhole(
  option: string,
  value: unknown,
  limits: readonly [number, number],
): number {
  const [least, most] = limits;
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    if (value >= least && value <= most) return value;
  }
  throw invalid(option, `a whole number from ${least} to ${most}`, value);
}

/** Milliseconds to wait, whole, or Infinity, which must be said. Throws HoldfastError INVALID. */
export function checkWaitMs(value: unknown): number {
  if (value === Infinity) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid('waitMs', 'a whole number of milliseconds from 0, or Infinity', value);
}

/** JSON text of metadata. Throws HoldfastError INVALID when it is no object or too large. */
export function checkMeta(value: unknown): string {
  if (value === undefined) return '{}';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('meta', 'an object', value);
  }
  const text = toJson(value);
  const bytes = text === undefined ? 0 : utf8Length(text);
  if (text !== undefined && bytes <= META_BYTES_MAX) return text;
  const expected = `an object of at most ${META_BYTES_MAX} bytes as JSON`;
  if (text === undefined) throw invalid('meta', expected, value);
  throw outOfRange('meta', expected, `${bytes} bytes`);
}

/** Well-formed text of 1 to `bytesMax` bytes. Throws HoldfastError INVALID. */
export function checkText(option: string, value: unknown, bytesMax: number): string {
  const bytes = typeof value === 'string' ? utf8Length(value) : -1;
  if (typeof value === 'string' && bytes > 0 && bytes <= bytesMax) return value;
  throw invalid(option, `well-formed text of 1 to ${bytesMax} bytes`, value);
}

/** Refuses options that do not exist, so that a `timeout` is not silently ignored. */
export function checkKnown(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw invalid('options', 'an object', options);
  }
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue;
    const text = `there is no option "${option.slice(0, 80)}"; the options are ${known.join(', ')}`;
    throw new HoldfastError('INVALID', text);
  }
}

/** The error for a value that is not what an option must be. */
export function invalid(option: string, expected: string, value: unknown): HoldfastError {
  return outOfRange(option, expected, describeValue(value));
}

/** The error for a value of which not itself is shown but its measure, such as `9 bytes`. */
export function outOfRange(option: string, expected: string, got: string): HoldfastError {
  const text = `${option} must be ${expected} (got ${got})`;
  return new HoldfastError('INVALID', text, { details: { option } });
}

function checkKeepAlive({ keepAlive = 'loop', maxHoldMs }: ClientOptions): KeepAlive {
  if (keepAlive !== 'loop' && keepAlive !== 'worker') {
    throw invalid('keepAlive', "'loop' or 'worker'", keepAlive);
  }
  if (keepAlive === 'loop' || maxHoldMs !== undefined) return keepAlive;
  const text = "keepAlive 'worker' needs maxHoldMs: else a loop that never ends holds for ever";
  throw new HoldfastError('INVALID', text, { details: { option: 'maxHoldMs' } });
}

function checkTtl(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    if (value >= TTL_MS_MIN && value <= TTL_MS_MAX) return value;
  }
  throw invalid('ttlMs', `a whole number from ${TTL_MS_MIN} to ${TTL_MS_MAX}, or null`, value);
}

function checkNodes(value: unknown): readonly string[] {
  const expected = `1 to ${NODES_MAX} different addresses host:port`;
  if (!Array.isArray(value)) throw invalid('nodes', expected, value);
  const nodes: string[] = [];
  const list: readonly unknown[] = value;
  for (const address of list) {
    const isNew = typeof address === 'string' && !nodes.includes(address);
    if (!isNew || !ADDRESS.test(address)) throw invalid('nodes', expected, address);
    nodes.push(address);
  }
  if (nodes.length > 0 && nodes.length <= NODES_MAX) return nodes;
  throw outOfRange('nodes', expected, `${nodes.length} addresses`);
}

function toJson(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // a cycle, or a bigint
  }
}
