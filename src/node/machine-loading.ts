import type { LockMachine } from '../locks/machine-types.ts';
import type { HostExit } from './host-types.ts';
import type { StateBuilder } from './state-builder.ts';
import { stateDamaged } from './storage/exits.ts';
import type { NodeStorage, RowPage } from './storage/types.ts';

/** Bytes of rows that are read, and made part of the machine, at a time. */
const PAGE_BYTES = 128 * 1024;

/** The machine, or why the node must end. */
export type LoadedMachine =
  | { readonly ok: true; readonly machine: LockMachine }
  | { readonly ok: false; readonly exit: HostExit };

export interface MachineLoadingOptions {
  readonly storage: Pick<NodeStorage, 'rows'>;
  readonly builder: StateBuilder;
  /** What the rows of the durable checkpoint must sum up to. */
  readonly rowSum: string;
}

/**
 * The start of a node from its durable checkpoint: takes a time that the size of the state bounds,
 * not its history, and leaves the loop to others between two pages. While one page becomes part of
 * the machine, the next is read.
 */
export class MachineLoading {
  private readonly options: MachineLoadingOptions;
  private hasFailed = false;
  constructor(options: MachineLoadingOptions) {
    this.options = options;
  }

  /** Never answers within the call. */
  start(done: (loaded: LoadedMachine) => void): void {
    this.read('', done);
  }

  private read(after: string, done: (loaded: LoadedMachine) => void): void {
    this.options.storage.rows(after, PAGE_BYTES, (result) => {
      if (result.ok) this.take(result.value, done);
      else done({ ok: false, exit: result.exit });
    });
  }

  private take({ rows, isLast }: RowPage, done: (loaded: LoadedMachine) => void): void {
    if (this.hasFailed) return;
    const { builder, rowSum } = this.options;
    const last = rows.at(-1);
    if (last !== undefined && !isLast) this.read(last.key, done);
    const problem = builder.add(rows);
    if (problem !== null) {
      this.hasFailed = true;
      return done({ ok: false, exit: stateDamaged(`${problem}.`) });
    }
    if (last !== undefined && !isLast) return;
    builder.finish(rowSum, (built) => {
      done(built.ok ? built : { ok: false, exit: stateDamaged(`${built.problem}.`) });
    });
  }
}
