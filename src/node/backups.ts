import { probes } from '../base/probe.ts';
import type { Index, MonoUs } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import { encodeSnapshotMeta, encodeSnapshotRows } from '../wire/checkpoint.ts';
import type { StoredRow } from '../wire/checkpoint.ts';
import type { QueryResult } from '../wire/client-messages.ts';
import type { HostExit } from './host-types.ts';
import { RowSum } from './row-sum.ts';
import { fittingRows } from './snapshot-pieces.ts';
import type { CheckpointView, NodeStorage } from './storage/types.ts';

/** Backups at a time: each holds old versions of rows back from being cleaned up. */
const OPEN_MAX = 2;
/** A reader that asks for nothing for so long is gone. */
const IDLE_MS_MAX = 60_000;

/** Where a backup comes from. */
export interface BackupsOptions {
  readonly clock: Pick<Clock, 'monoUs'>;
  readonly storage: Pick<NodeStorage, 'view'>;
  /** Bytes of one answer. */
  readonly partBytesMax: number;
  readonly appliedIndex: () => Index;
  /** A durable checkpoint that contains this entry; see Checkpointer.takeNow. */
  readonly takeNow: (index: Index, done: (isDurable: boolean) => void) => void;
  readonly onFailed: (exit: HostExit) => void;
}

interface Open {
  readonly view: CheckpointView;
  usedUs: MonoUs;
  /** Of the rows up to this key, in the order in which they were read. */
  summedTo: string;
  sum: RowSum;
}

/**
 * Backups while everything goes on: a checkpoint that contains everything acknowledged before the
 * wish is taken and held still, and read page by page by whoever asked (RAFT.md §15.7).
 */
export class Backups {
  private readonly options: BackupsOptions;
  private readonly open = new Map<number, Open>();
  private lastId = 0;
  /** Of those that wait for their checkpoint. */
  private beginning = 0;
  private isOver = false;

  constructor(options: BackupsOptions) {
    this.options = options;
  }

  /** To be called after a quorum round that began after the wish arrived. */
  begin(done: (result: QueryResult) => void): void {
    this.dropIdle();
    if (this.open.size + this.beginning >= OPEN_MAX) {
      return done(refuse('OVERLOADED', `${OPEN_MAX} backups are being read already`));
    }
    this.beginning += 1;
    this.take((result) => {
      this.beginning -= 1;
      done(result);
    });
  }

  /** The rows after this key. */
  rows(backupId: number, after: string, done: (result: QueryResult) => void): void {
    const backup = this.open.get(backupId);
    if (backup === undefined) {
      const text = 'this backup is over: it was not read for a minute, or the leader changed';
      return done(refuse('UNAVAILABLE', text));
    }
    backup.usedUs = this.options.clock.monoUs();
    const bytesMax = this.options.partBytesMax;
    backup.view.rows(after, bytesMax, (result) => {
      if (!result.ok) return this.options.onFailed(result.exit);
      const { rows, isLast } = result.value;
      const taken = fittingRows(rows, bytesMax);
      const isEnd = isLast && taken.length === rows.length;
      const exit = this.sumUp(backup, after, taken, isEnd);
      if (exit !== null) return this.options.onFailed(exit);
      done({ kind: 'backupRows', content: encodeSnapshotRows(taken), isLast: isEnd });
    });
  }

  /** Lets go of it; without effect when it is over already. */
  end(backupId: number): void {
    this.open.get(backupId)?.view.close();
    this.open.delete(backupId);
  }

  /** Due now and then: lets go of what nobody reads. */
  dropIdle(): void {
    const nowUs = this.options.clock.monoUs();
    for (const [backupId, { usedUs }] of this.open) {
      if (nowUs - usedUs > IDLE_MS_MAX * US_PER_MS) this.end(backupId);
    }
  }

  stop(): void {
    this.isOver = true;
    for (const backupId of [...this.open.keys()]) this.end(backupId);
  }

  // A page that is asked for again was added already; one that is skipped is never asked for.
  private sumUp(
    backup: Open,
    after: string,
    rows: readonly StoredRow[],
    isEnd: boolean,
  ): HostExit | null {
    if (after !== backup.summedTo) return null;
    backup.summedTo = rows.at(-1)?.key ?? after;
    const exit = backup.sum.add(rows);
    return exit ?? (isEnd ? backup.sum.problem(backup.view.checkpoint.rowSum) : null);
  }

  private take(done: (result: QueryResult) => void): void {
    const { takeNow, appliedIndex, storage } = this.options;
    takeNow(appliedIndex(), (isDurable) => {
      if (!isDurable || this.isOver) return done(refuse('UNAVAILABLE', 'the node is stopping'));
      storage.view((result) => {
        if (!result.ok) return this.options.onFailed(result.exit);
        done(this.hold(result.value));
      });
    });
  }

  private hold(view: CheckpointView): QueryResult {
    if (this.isOver) {
      view.close();
      return refuse('UNAVAILABLE', 'the node is stopping');
    }
    probes.reach('backup-taken');
    this.lastId += 1;
    const usedUs = this.options.clock.monoUs();
    this.open.set(this.lastId, { view, usedUs, summedTo: '', sum: new RowSum() });
    const meta = encodeSnapshotMeta({ founding: view.founding, checkpoint: view.checkpoint });
    return { kind: 'backup', backupId: this.lastId, meta };
  }
}

function refuse(code: 'OVERLOADED' | 'UNAVAILABLE', message: string): QueryResult {
  return { kind: 'refused', code, message };
}
