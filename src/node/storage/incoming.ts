// A checkpoint while it comes from elsewhere: its rows become durable under a generation of their
// own, beside the state in force, which knows nothing of them until they are complete (RAFT.md §9).

import { assert } from '../../base/assert.ts';
import type { KeyValue, KeyValueOp } from '../../ports/storage.ts';
import type { Checkpoint, StoredRow } from '../../wire/checkpoint.ts';
import type { Calls, Done } from './calls.ts';
import { refuse, STORED, writeFailed } from './exits.ts';
import type { MetaRow } from './layout.ts';
import { stateOp } from './state-rows.ts';
import type { IncomingCheckpoint } from './types.ts';

/** What it is made of, and who carries out what concerns more than its rows. */
export interface IncomingOptions {
  readonly keyValue: KeyValue;
  readonly calls: Calls;
  readonly meta: MetaRow;
  readonly install: (incoming: Incoming, keepsSuffix: boolean, done: Done<void>) => void;
  readonly onDiscarded: (incoming: Incoming) => void;
}

/** The one that is being received. */
export class Incoming implements IncomingCheckpoint {
  private readonly options: IncomingOptions;
  private isOpen = true;

  constructor(options: IncomingOptions) {
    this.options = options;
  }

  get checkpoint(): Checkpoint {
    return this.options.meta.checkpoint;
  }

  get meta(): MetaRow {
    return this.options.meta;
  }

  add(rows: readonly StoredRow[], done: Done<void>): void {
    assert(this.isOpen, 'rows come until a checkpoint is installed or discarded');
    const { keyValue, calls, meta } = this.options;
    const run = (written: Done<void>): void => {
      keyValue.batch(rowOps(meta.generation, rows), (result) => {
        written(result.ok ? STORED : refuse(writeFailed(result.failure)));
      });
    };
    calls.enqueue({ run }, done);
  }

  install(keepsSuffix: boolean, done: Done<void>): void {
    this.close();
    this.options.install(this, keepsSuffix, done);
  }

  discard(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.options.onDiscarded(this);
  }

  /** It is being put in force: no more rows, and no discarding. */
  close(): void {
    assert(this.isOpen, 'a checkpoint is put in force once');
    this.isOpen = false;
  }
}

function* rowOps(generation: number, rows: readonly StoredRow[]): Iterable<KeyValueOp> {
  for (const row of rows) yield stateOp(generation, row);
}
