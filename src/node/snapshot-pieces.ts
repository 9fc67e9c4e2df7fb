import { encodeSnapshotEnd, encodeSnapshotMeta, encodeSnapshotRows } from '../wire/checkpoint.ts';
import type { StoredRow } from '../wire/checkpoint.ts';
import { RowSum } from './row-sum.ts';
import type { CheckpointView, StorageResult } from './storage/types.ts';

/** What a row weighs besides its texts, at most. */
const ROW_BYTES = 16;

/** A checkpoint in pieces: 0 is what it says of itself, the last one what must have come. */
export interface SnapshotPiece {
  readonly sequence: number;
  readonly isLast: boolean;
  /** From wire/checkpoint.ts. */
  readonly content: Uint8Array;
}

type Done = (result: StorageResult<SnapshotPiece | null>) => void;

/**
 * Cuts a checkpoint that is held still into pieces, the same ones whenever it begins anew. A disk
 * that lost some of its rows is found at the end, before anybody takes the rest for a whole.
 */
export class SnapshotPieces {
  private readonly view: CheckpointView;
  private readonly bytesMax: number;
  private sequence = 0;
  private after = '';
  private count = 0;
  private sum = new RowSum();
  private stage: 'meta' | 'rows' | 'end' | 'over' = 'meta';

  constructor(view: CheckpointView, bytesMax: number) {
    this.view = view;
    this.bytesMax = bytesMax;
  }

  /** From the first piece again; not while one is being read. */
  restart(): void {
    this.sequence = 0;
    this.after = '';
    this.count = 0;
    this.sum = new RowSum();
    this.stage = 'meta';
  }

  /**
   * The next piece, null after the last one, or why this node must end; possibly within the call.
   * One at a time.
   */
  next(done: Done): void {
    const { founding, checkpoint } = this.view;
    switch (this.stage) {
      case 'meta':
        this.stage = 'rows';
        return this.give(encodeSnapshotMeta({ founding, checkpoint }), done);
      case 'rows':
        return this.readRows(done);
      case 'end':
        this.stage = 'over';
        return this.give(encodeSnapshotEnd({ count: this.count, rowSum: checkpoint.rowSum }), done);
      case 'over':
        return done({ ok: true, value: null });
    }
  }

  private readRows(done: Done): void {
    this.view.rows(this.after, this.bytesMax, (result) => {
      if (!result.ok) return done(result);
      const { rows, isLast } = result.value;
      const taken = fittingRows(rows, this.bytesMax);
      this.after = taken.at(-1)?.key ?? this.after;
      this.count += taken.length;
      const isEnd = isLast && taken.length === rows.length;
      const { rowSum } = this.view.checkpoint;
      const exit = this.sum.add(taken) ?? (isEnd ? this.sum.problem(rowSum) : null);
      if (exit !== null) return done({ ok: false, exit });
      if (isEnd) this.stage = 'end';
      // An empty state, or a page that ended with the last row: there is nothing to give.
      if (taken.length === 0) return this.next(done);
      this.give(encodeSnapshotRows(taken), done);
    });
  }

  private give(content: Uint8Array, done: Done): void {
    const piece = { sequence: this.sequence, isLast: this.stage === 'over', content };
    this.sequence += 1;
    done({ ok: true, value: piece });
  }
}

/** As many of the first rows as fit a piece; what is left is read again. At least one. */
export function fittingRows(rows: readonly StoredRow[], bytesMax: number): readonly StoredRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ key, value }, position) => {
    // A unit of UTF-16 takes three bytes of UTF-8 at most.
    bytes += ROW_BYTES + 3 * key.length + value.length;
    return position > 0 && bytes > bytesMax;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
