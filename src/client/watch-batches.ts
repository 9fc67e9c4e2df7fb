import type { HoldfastError } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import type { WatchEvent, WatchTarget } from '../wire/watch-messages.ts';
import { Fifo } from './fifo.ts';
import type { FeedOwner, Watches } from './watches.ts';

// Events that wait for their reader; if there are more, it goes on with the newest.
const BUFFERED_MAX = 10_000;

/**
 * What is known since the last one: that it begins, all events of one entry (none: that nothing
 * happened up to there), or a gap.
 */
export type Batch =
  | { readonly kind: 'begun' | 'gap'; readonly revision: Revision }
  | {
      readonly kind: 'events';
      readonly revision: Revision;
      readonly events: readonly WatchEvent[];
    };

/** What and from where. */
export interface BatchOptions {
  readonly target: WatchTarget;
  /** null: from now on. */
  readonly after: Revision | null;
  /** Ends it. */
  readonly signal: AbortSignal | null;
}

/**
 * The events of a watch, for one reader who takes them when it likes. Invariant: a reader is told
 * of a gap before anything that comes after what it missed.
 */
export class WatchBatches implements FeedOwner {
  /** Of the first subscription: all that is later comes, or a gap; null before. */
  begunAt: Revision | null = null;
  /** Called once it has begun. */
  onReady: () => void = () => {};
  /** Called when it has ended, whatever the cause. */
  onOver: () => void = () => {};
  /** Why it ended by itself; null as long as it did not. */
  failure: HoldfastError | null = null;
  isOver = false;
  // Of a size of at most BUFFERED_MAX, or a single one.
  private readonly batches = new Fifo<Batch>();
  private size = 0;
  // Nothing happened up to there since the last batch; null while none is due.
  private progress: Revision | null = null;
  private readonly signal: AbortSignal | null;
  private readonly stop: () => void;
  private isTold = false;
  private wake: () => void = () => {};
  private readonly onAbort = (): void => this.close();

  /** Throws OVERLOADED. */
  constructor(watches: Pick<Watches, 'open'>, options: BatchOptions) {
    this.signal = options.signal;
    this.stop = watches.open(options.target, options.after, this);
    if (this.signal?.aborted === true) this.close();
    else this.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /**
   * The next batch; null when it was closed. Rejects once when it failed, after all that came
   * before; null from then on. Not to be called again before the last call has settled.
   */
  async next(): Promise<Batch | null> {
    for (;;) {
      const batch = this.take();
      if (batch !== null) return batch;
      if (this.isOver) return this.end();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Ends it; what was not read is forgotten. Idempotent. */
  close(): void {
    this.isTold = true;
    this.clear();
    this.finish();
  }

  onBegun(revision: Revision): void {
    if (this.begunAt !== null) return;
    this.begunAt = revision;
    this.push({ kind: 'begun', revision });
    this.onReady();
  }

  onEvents(revision: Revision, events: readonly WatchEvent[]): void {
    if (events.length > 0) return this.push({ kind: 'events', revision, events });
    this.progress = revision;
    this.wake();
  }

  onGap(revision: Revision): void {
    this.push({ kind: 'gap', revision });
  }

  onFailed(error: HoldfastError): void {
    this.failure = error;
    this.finish();
  }

  private take(): Batch | null {
    const batch = this.batches.peek();
    if (batch === undefined) return this.takeProgress();
    this.batches.shift();
    this.size -= sizeOf(batch);
    return batch;
  }

  // Kept apart, so that it takes no room from events while its reader is slow.
  private takeProgress(): Batch | null {
    const revision = this.progress;
    this.progress = null;
    return revision === null ? null : { kind: 'events', revision, events: [] };
  }

  private end(): null {
    if (this.failure === null || this.isTold) return null;
    this.isTold = true;
    throw this.failure;
  }

  private push(batch: Batch): void {
    if (this.size > 0 && this.size + sizeOf(batch) > BUFFERED_MAX) {
      this.clear();
      this.push({ kind: 'gap', revision: batch.revision });
      return;
    }
    this.progress = null;
    this.batches.push(batch);
    this.size += sizeOf(batch);
    this.wake();
  }

  private clear(): void {
    this.batches.takeAll();
    this.size = 0;
    this.progress = null;
  }

  private finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stop();
    this.signal?.removeEventListener('abort', this.onAbort);
    this.wake();
    this.onOver();
  }
}

function sizeOf(batch: Batch): number {
  return batch.kind === 'events' ? batch.events.length : 1;
}
