// The calls under way. After the first failed write nothing more is written (RAFT.md §15.4): it is
// not tried again, and the directory is marked before the call is answered. A bad disk may take
// long for that; `onFailure` comes before.

import type { KeyValue } from '../../ports/storage.ts';
import { BatchQueue } from './batch-queue.ts';
import { refuse, storageClosed } from './exits.ts';
import type { StorageExit, StorageResult } from './types.ts';

/** Takes the answer to a call. */
export type Done<T> = (result: StorageResult<T>) => void;

/** What the calls are told. */
export interface CallsOptions {
  readonly keyValue: KeyValue;
  readonly onFailure?: () => void;
  /** Marks the directory, as well as it still can be; `done` comes in any case. */
  readonly mark: (exit: StorageExit, done: () => void) => void;
}

/** A call that writes a batch. */
export interface BatchCall<T> {
  /** Goes before all that waits. */
  readonly isUrgent?: boolean;
  readonly isReady?: () => boolean;
  readonly run: (done: Done<T>) => void;
}

/** Begins and ends calls, and knows when they must not begin any more. */
export class Calls {
  private readonly options: CallsOptions;
  private readonly queue = new BatchQueue();
  private readonly closed = storageClosed();
  /** Why every further call fails; null while all is well. */
  private failure: StorageExit | null = null;
  private isClosed = false;
  private runningCount = 0;
  private onIdle: (() => void) | null = null;

  constructor(options: CallsOptions) {
    this.options = options;
  }

  /** Every call begins here; null says that it was refused. What it returns is called once. */
  begin<T>(done: Done<T>): Done<T> | null {
    this.runningCount += 1;
    const end: Done<T> = (result) => {
      this.runningCount -= 1;
      done(result);
      this.closeWhenIdle();
    };
    // A call that comes too late must not reach the store: its error would pass for a broken disk.
    const exit = this.failure ?? (this.isClosed ? this.closed : null);
    if (exit !== null) {
      this.answerLater(() => end(refuse(exit)));
      return null;
    }
    return (result) => {
      if (result.ok || result.exit === this.closed) return end(result);
      this.fail(result.exit, () => end(result));
    };
  }

  /** Begins a call that writes a batch, which it does in its turn. */
  enqueue<T>(call: BatchCall<T>, done: Done<T>): void {
    const settle = this.begin(done);
    if (settle !== null) this.inTurn(call, settle);
  }

  /** Writes the batch of a call that has begun, in its turn. */
  inTurn<T>(call: BatchCall<T>, settle: Done<T>): void {
    this.queue.add({
      isUrgent: call.isUrgent ?? false,
      isReady: call.isReady ?? (() => true),
      run: (release) => {
        call.run((result) => {
          settle(result);
          release();
        });
      },
      refuse: (exit) => settle(refuse(exit)),
    });
  }

  /** Calls under way end, others are refused; `closeStore` comes when none is left. */
  close(closeStore: () => void): void {
    this.isClosed = true;
    this.onIdle = closeStore;
    this.queue.close(this.closed);
    this.closeWhenIdle();
  }

  /** This floor has no timers: a cheap question to the store answers after the call returned. */
  answerLater(answer: () => void): void {
    this.options.keyValue.freeBytes(() => answer());
  }

  // The first failure is the one that counts; the mark is tried once, before anybody is answered.
  private fail(exit: StorageExit, done: () => void): void {
    if (this.failure !== null) return done();
    this.failure = exit;
    const waiting = this.queue.stop();
    this.options.onFailure?.();
    this.options.mark(exit, () => {
      done();
      for (const job of waiting) job.refuse(exit);
    });
  }

  private closeWhenIdle(): void {
    if (this.onIdle === null || this.runningCount > 0) return;
    const closeStore = this.onIdle;
    this.onIdle = null;
    closeStore();
  }
}
