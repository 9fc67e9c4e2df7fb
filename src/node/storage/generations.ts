// Generations of rows. The current one is named by the meta row. Any other belongs to a transfer
// under way or to none at all: those are swept, a page at a time, between the other batches.

import { assert } from '../../base/assert.ts';
import { probes } from '../../base/probe.ts';
import type { KeyValue } from '../../ports/storage.ts';
import type { Calls, Done } from './calls.ts';
import { readFailed, refuse, stateDamaged, writeFailed } from './exits.ts';
import { GENERATION_MAX, generationOf, generationRange, STATE_RANGE } from './state-rows.ts';

/** About how much of a generation one batch deletes. */
const SWEEP_BYTES = 64 * 1024;

/** Hands out numbers that were never used, and sweeps those that nobody uses any more. */
export class Generations {
  private readonly keyValue: KeyValue;
  private readonly calls: Calls;
  private highest: number;
  private readonly abandoned: number[];
  private isSweeping = false;

  /** `found`: all that have rows in the store; `current` is the one to keep, null: none. */
  constructor(
    { keyValue, calls }: { readonly keyValue: KeyValue; readonly calls: Calls },
    found: readonly number[],
    current: number | null,
  ) {
    this.keyValue = keyValue;
    this.calls = calls;
    this.highest = Math.max(0, current ?? 0, ...found);
    this.abandoned = found.filter((generation) => generation !== current);
    this.sweep();
  }

  /** A number above every one seen. */
  fresh(): number {
    assert(this.highest < GENERATION_MAX, 'generations of rows are 32-bit numbers');
    this.highest += 1;
    return this.highest;
  }

  /** Its rows are nobody's any more. */
  abandon(generation: number): void {
    this.abandoned.push(generation);
    this.sweep();
  }

  // A page at a time, so that other batches find their turn in between.
  private sweep(): void {
    const generation = this.abandoned[0];
    if (generation === undefined || this.isSweeping) return;
    this.isSweeping = true;
    const run = (written: Done<boolean>): void => sweepSome(this.keyValue, generation, written);
    this.calls.enqueue({ run }, (result) => {
      this.isSweeping = false;
      if (!result.ok) return;
      if (result.value) this.abandoned.shift();
      if (result.value) probes.reach('generation-swept');
      this.sweep();
    });
  }
}

/** The generations that have rows, ascending: one read for each. */
export function readGenerations(keyValue: KeyValue, done: Done<readonly number[]>): void {
  const found: number[] = [];
  const readFrom = (from: string): void => {
    keyValue.range(from, STATE_RANGE.to, 1, (read) => {
      if (!read.ok) return done(refuse(readFailed(read.failure)));
      const key = read.value[0]?.key;
      if (key === undefined) return done({ ok: true, value: found });
      const generation = generationOf(key);
      if (generation === null) {
        return done(refuse(stateDamaged(`the key ${JSON.stringify(key)} is no place for a row.`)));
      }
      found.push(generation);
      readFrom(generationRange(generation).to);
    });
  };
  readFrom(STATE_RANGE.from);
}

// Deletes some rows of a generation; the answer is whether none was left.
function sweepSome(keyValue: KeyValue, generation: number, done: Done<boolean>): void {
  const { from, to } = generationRange(generation);
  keyValue.range(from, to, SWEEP_BYTES, (read) => {
    if (!read.ok) return done(refuse(readFailed(read.failure)));
    if (read.value.length === 0) return done({ ok: true, value: true });
    const deletes = read.value.map(({ key }) => ({ type: 'delete', key }) as const);
    keyValue.batch(deletes, (result) => {
      if (!result.ok) return done(refuse(writeFailed(result.failure)));
      done({ ok: true, value: false });
    });
  });
}
