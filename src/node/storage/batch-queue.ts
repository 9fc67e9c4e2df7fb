// The order in which batches reach the log store. One is under way at a time, so that none is lost
// before a later one that builds on it, and so that every batch knows what the store holds:
//
// - a checkpoint waits until the log is durable up to its index. Log batches pass it until then,
//   and not one more: whatever waits and can go on does so in the order of arrival;
// - a batch that cuts the log goes first. The index has forgotten what it cuts, and a checkpoint
//   in between would describe a log that is not on disk yet.

import { assert } from '../../base/assert.ts';
import { probes } from '../../base/probe.ts';
import type { StorageExit } from './types.ts';

/** Something that writes one batch, perhaps after reading what it needs for it. */
export interface BatchJob {
  readonly isUrgent: boolean;
  /** May it run now? Asked whenever another has ended. */
  isReady(): boolean;
  /** Called when nothing else is under way; the next waits for `done`. */
  run(done: () => void): void;
  /** It will never run. */
  refuse(exit: StorageExit): void;
}

/** A log batch, a checkpoint, a sweep, an install: one each, and a few pieces of a transfer. */
const WAITING_MAX = 256;

/** Runs one batch after the other. */
export class BatchQueue {
  private readonly waiting: BatchJob[] = [];
  private isRunning = false;
  private isStopped = false;
  private closing: StorageExit | null = null;

  add(job: BatchJob): void {
    assert(this.waiting.length < WAITING_MAX, `at most ${WAITING_MAX} batches wait`);
    if (job.isUrgent) this.waiting.unshift(job);
    else this.waiting.push(job);
    this.next();
  }

  /** Nothing runs any more. Answers with those that wait: the caller refuses them. */
  stop(): readonly BatchJob[] {
    this.isStopped = true;
    return this.waiting.splice(0);
  }

  /** What waits still runs; what never can is refused. */
  close(exit: StorageExit): void {
    this.closing = exit;
    this.next();
  }

  private next(): void {
    if (this.isRunning || this.isStopped) return;
    const at = this.waiting.findIndex((job) => job.isReady());
    if (at > 0) probes.reach('log-batch-passes-checkpoint');
    const [job] = at === -1 ? [] : this.waiting.splice(at, 1);
    if (job !== undefined) this.start(job);
    else if (this.closing !== null) this.giveUp(this.closing);
  }

  private start(job: BatchJob): void {
    this.isRunning = true;
    job.run(() => {
      this.isRunning = false;
      this.next();
    });
  }

  private giveUp(exit: StorageExit): void {
    for (const job of this.waiting.splice(0)) job.refuse(exit);
  }
}
