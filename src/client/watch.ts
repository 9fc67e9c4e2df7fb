import { HoldfastError } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { WatchEvent, WatchTarget } from '../wire/watch-messages.ts';
import { checkName, checkPart } from './items.ts';
import { checkSignal } from './lock.ts';
import { checkKnown, checkWhole, invalid } from './options.ts';
import { serialIterator } from './serial-iterator.ts';
import type { Source } from './serial-iterator.ts';
import { SHOWN, shown } from './shown.ts';
import { callAt } from './timer.ts';
import type { Batch, BatchOptions, WatchBatches } from './watch-batches.ts';

/** What to watch. */
export interface WatchOptions {
  /** One lock. Not together with a prefix. */
  readonly name?: string;
  /** All locks whose names begin with it; '' (default) means all locks. */
  readonly prefix?: string;
  /** Goes on after this revision: LockWatch.revision, or that of an inspection. */
  readonly after?: Revision;
  /** Aborting it ends the watch, as close does. */
  readonly signal?: AbortSignal;
}

/**
 * One event of one lock, in the order of the log; or a gap: events later than `after`, up to
 * `revision`, were not told. Then whoever keeps a picture of the locks must list them again.
 */
export type WatchNotice =
  | (WatchEvent & {
      /** The position in the log of the entry that caused it. */
      readonly revision: Revision;
    })
  | {
      /** Told instead of events. */
      readonly type: 'gap';
      /** Everything up to this revision was told. */
      readonly after: Revision;
      /** What is told next is later than this. */
      readonly revision: Revision;
    };

/**
 * Tells what happens to locks. It follows the leader through every reconnect, tells each event
 * once, and never leaves one out without a `gap`: after the cluster has forgotten the events that
 * were missed, or when more than 10,000 wait for their reader.
 *
 * Iterating it ends at `close`, at the abort of the signal and when the loop is left. It rejects,
 * after what came before, with CLOSED when the client closes, and with CLUSTER_CHANGED. While no
 * node answers it waits.
 */
export interface LockWatch extends AsyncIterable<WatchNotice>, AsyncDisposable {
  /**
   * Resolves once the watch has begun: all events of later revisions than this one are told.
   * Rejects with UNAVAILABLE if no leader took it within requestMs (the watch goes on trying),
   * and with CLOSED, CLUSTER_CHANGED or INVALID when it is over.
   */
  ready(): Promise<Revision>;
  /** All events up to this revision were read; `after` of a watch that goes on from here. */
  readonly revision: Revision;
  /** Ends it. What was not read is forgotten. Idempotent. */
  close(): void;
}

/** The events of a watch, one by one. */
export class ClientWatch implements LockWatch, Source<WatchNotice> {
  private readonly clock: Clock;
  private readonly requestMs: number;
  private readonly batches: WatchBatches;
  private readonly iterator = serialIterator<WatchNotice>(this);
  // Bounded by the callers of ready().
  private readonly waits = new Set<() => void>();
  private taken: Revision;
  private current: Batch | null = null;
  // Of the events in `current`.
  private at = 0;

  constructor(
    parts: { readonly clock: Clock; readonly settings: { readonly requestMs: number } },
    batches: WatchBatches,
    after: Revision | null,
  ) {
    this.clock = parts.clock;
    this.requestMs = parts.settings.requestMs;
    this.batches = batches;
    this.taken = after ?? 0;
    batches.onReady = () => this.tellReady();
    batches.onOver = () => this.tellReady();
  }

  get revision(): Revision {
    return this.taken;
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchNotice, undefined> {
    return this.iterator;
  }

  ready(): Promise<Revision> {
    const { batches } = this;
    return new Promise((resolve, reject) => {
      const { clock, requestMs } = this;
      const settle = (): void => {
        limit.cancel();
        this.waits.delete(settle);
        if (batches.begunAt !== null) resolve(batches.begunAt);
        else reject(batches.failure ?? notBegun(batches.isOver, requestMs));
      };
      const limit = callAt(clock, clock.monoUs() + requestMs * 1000, settle);
      this.waits.add(settle);
      if (batches.begunAt !== null || batches.isOver) settle();
    });
  }

  close(): void {
    this.current = null;
    this.batches.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  [SHOWN](): string {
    return shown('LockWatch', { revision: this.taken, isOver: this.batches.isOver });
  }

  async next(): Promise<WatchNotice | null> {
    for (;;) {
      const notice = this.take();
      if (notice !== null) return notice;
      this.current = await this.batches.next();
      this.at = 0;
      if (this.current === null) return null;
    }
  }

  private take(): WatchNotice | null {
    const batch = this.current;
    if (batch === null) return null;
    const { revision } = batch;
    if (batch.kind === 'events') {
      const event = batch.events[this.at++];
      if (event === undefined) return this.finish(revision);
      // Who goes on from the middle of a revision must be told all of it again.
      this.taken = this.at === batch.events.length ? revision : revision - 1;
      return { ...event, revision };
    }
    const after = this.taken;
    this.finish(revision);
    return batch.kind === 'gap' ? { type: 'gap', after, revision } : null;
  }

  private finish(revision: Revision): null {
    this.taken = revision;
    this.current = null;
    return null;
  }

  private tellReady(): void {
    for (const settle of [...this.waits]) settle();
  }
}

/** Throws HoldfastError INVALID. */
export function checkWatch(options: WatchOptions): BatchOptions {
  checkKnown(options, ['name', 'prefix', 'after', 'signal']);
  const { name, prefix = '', after } = options;
  if (name !== undefined && options.prefix !== undefined) {
    throw invalid('name', 'left out when a prefix is given', name);
  }
  const target: WatchTarget = {
    name: name === undefined ? null : checkName(name),
    prefix: checkPart('prefix', prefix),
  };
  return {
    target,
    after: after === undefined ? null : checkWhole('after', after, [0, Number.MAX_SAFE_INTEGER]),
    signal: checkSignal(options.signal),
  };
}

function notBegun(isOver: boolean, requestMs: number): HoldfastError {
  if (isOver) return new HoldfastError('CLOSED', 'the watch was closed before it had begun');
  const text = `no leader took the watch within ${requestMs} ms; it is tried again`;
  return new HoldfastError('UNAVAILABLE', text);
}
