import type { Clock } from '../ports/clock.ts';
import type { LockMachine, MachineLoader } from '../locks/machine-types.ts';
import { RowError } from '../locks/row-reader.ts';
import type { StoredRow } from '../wire/checkpoint.ts';
import { DecodeError } from '../wire/msgpack.ts';
import { decodeRowValue } from '../wire/rows.ts';

/** Pieces of work that are left after the last row, done in one turn. */
const FINISHED_PER_TURN = 4_096;

/** The machine, or what is wrong with its rows as a sentence without its end. */
export type BuiltState =
  | { readonly ok: true; readonly machine: LockMachine }
  | { readonly ok: false; readonly problem: string };

/**
 * Makes a machine of the stored rows of a checkpoint, a bounded amount a turn, and judges them:
 * what does not make a whole is told, and no half of it is ever in force.
 */
export class StateBuilder {
  private readonly loader: MachineLoader;
  private readonly clock: Clock;

  constructor(loader: MachineLoader, clock: Clock) {
    this.loader = loader;
    this.clock = clock;
  }

  /** How many rows came. */
  get count(): number {
    return this.loader.count;
  }

  /** Rows in key order, each once. Null, or what is wrong with one of them. */
  add(rows: readonly StoredRow[]): string | null {
    return problemOf(() =>
      this.loader.add(rows.map(({ key, value }) => ({ key, value: decodeRowValue(value) }))),
    );
  }

  /** All rows came; they must sum up to this. Never answers within the call. */
  finish(rowSum: string, done: (built: BuiltState) => void): void {
    this.clock.soon(() => {
      let isWhole = false;
      const problem = problemOf(() => (isWhole = this.loader.finish(FINISHED_PER_TURN)));
      if (problem !== null) return done({ ok: false, problem });
      if (!isWhole) return this.finish(rowSum, done);
      const machine = this.loader.machine();
      const found = machine.stateHash();
      if (found === rowSum) return done({ ok: true, machine });
      done({ ok: false, problem: `its rows sum up to ${found}, and ${rowSum} was expected` });
    });
  }
}

function problemOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RowError) return error.message;
    throw error;
  }
}
