// A guard of what lives in a Level database (classic-level, or any other abstract-level): the check
// reads, and what is remembered is written in one batch with the data. A Level database is open in
// one process only, so it is enough that the writes of this process come one after the other.

import { HoldfastError, describeValue } from '../base/error.ts';
import { checkClaim, checkResource, checkSlot, rowsOf } from './claim.ts';
import type { CheckedClaim, FenceClaim } from './claim.ts';
import { decide } from './decide.ts';
import { invalid } from './errors.ts';
import type { FenceRow } from './decide.ts';
import { newTurns } from './turns.ts';
import { UNSEEN } from './rule.ts';
import type { FenceState } from './rule.ts';

/** How the guard's own keys and values are written, whatever the database has as its own. */
const TEXT = { keyEncoding: 'utf8', valueEncoding: 'utf8' } as const;
const ROW = /^(\d{1,16}) (\d{1,16})$/;

/** What a guard needs of a database; Op is the database's own type of operations in a batch. */
export interface LevelLike<Op> {
  /** Reads one key; undefined, or an error with code LEVEL_NOT_FOUND, when there is none. */
  get(key: string, options: typeof TEXT): Promise<unknown>;
  /** Writes all operations or none. */
  batch(operations: (Op | LevelRow)[], options: { readonly sync: boolean }): Promise<unknown>;
}

/** What the guard itself adds to a batch. */
export interface LevelRow {
  /** Always a put. */
  readonly type: 'put';
  /** `<prefix><slot>:<resource>`. */
  readonly key: string;
  /** Largest exclusive and largest shared token, as decimal texts with a space between. */
  readonly value: string;
  /** Of a text. */
  readonly keyEncoding: 'utf8';
  /** Of a text. */
  readonly valueEncoding: 'utf8';
}

/** What a guard in a Level database may be told. */
export interface LevelFenceOptions {
  /** How its keys begin; nothing else may write such keys. Default `holdfast-fence:`. */
  readonly prefix?: string;
  /** Whether a write is on the disk before it resolves. Default true. */
  readonly sync?: boolean;
}

/** See levelFence. */
export interface LevelFence<Op> {
  /**
   * Checks the claim and writes the operations in one batch with what is remembered. Rejects with
   * STALE_TOKEN or INVALID, and nothing is written, or with the database's error: then either all
   * or nothing is written. Its writes come one after the other.
   */
  write(resource: string, claim: FenceClaim, operations: readonly Op[]): Promise<void>;
  /** What is remembered of a resource, or of a slot of it. Rejects with INVALID or STORAGE. */
  seen(resource: string, slot?: number): Promise<FenceState>;
}

/**
 * A guard in a Level database. Make **one** for each database and let all code use it: its writes
 * come one after the other, and two guards of the same keys do not know of each other. Throws
 * INVALID for a wrong option.
 */
export function levelFence<Op extends object>(
  database: LevelLike<Op>,
  options: LevelFenceOptions = {},
): LevelFence<Op> {
  const { prefix = 'holdfast-fence:', sync = true } = options;
  if (typeof prefix !== 'string') throw invalid('prefix', 'a text', prefix);
  const inTurn = newTurns();
  const keyOf = (resource: string, slot: number): string => `${prefix}${slot}:${resource}`;
  const read = async (resource: string, slot: number): Promise<FenceState> =>
    stateIn(await find(database, keyOf(resource, slot)), keyOf(resource, slot));

  const check = async (claim: CheckedClaim): Promise<readonly FenceRow[]> => {
    const states = new Map<number, FenceState>();
    for (const slot of rowsOf(claim)) states.set(slot, await read(claim.resource, slot));
    return decide(claim, (slot) => states.get(slot) ?? UNSEEN);
  };
  return {
    async write(resource, given, operations) {
      const claim = checkClaim(resource, given);
      if (!Array.isArray(operations)) throw invalid('operations', 'a list', operations);
      await inTurn(async () => {
        const rows = (await check(claim)).map(([slot, state]) =>
          rowOf(keyOf(resource, slot), state),
        );
        await database.batch([...operations, ...rows], { sync });
      });
    },
    seen: async (resource, slot) => read(checkResource(resource), checkSlot(slot)),
  };
}

function rowOf(key: string, { maxExclusive, maxShared }: FenceState): LevelRow {
  return { type: 'put', key, value: `${maxExclusive} ${maxShared}`, ...TEXT };
}

/** Versions of Level differ in how they tell that there is no such key. */
async function find(database: LevelLike<never>, key: string): Promise<unknown> {
  try {
    return await database.get(key, TEXT);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'LEVEL_NOT_FOUND') return;
    throw error;
  }
}

function stateIn(value: unknown, key: string): FenceState {
  if (value === undefined) return UNSEEN;
  const [, exclusive, shared] = typeof value === 'string' ? (ROW.exec(value) ?? []) : [];
  const state = { maxExclusive: Number(exclusive), maxShared: Number(shared) };
  if (Object.values(state).every(Number.isSafeInteger)) return state;
  const text = `${JSON.stringify(key)} must hold two tokens (got ${describeValue(value)})`;
  throw new HoldfastError('STORAGE', text);
}
