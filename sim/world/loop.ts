// One heap of pending events under virtual time. Whoever runs the loop decides when: nothing in
// here waits for anything real.

import { InvariantError } from '../../src/base/assert.ts';
import { MinHeap } from '../../src/base/heap.ts';
import type { Timer } from '../../src/ports/clock.ts';
import type { Occurrence, Trace } from './trace.ts';

/** How a loop bounds and orders what it runs. */
export interface LoopOptions {
  /** More events count as a spin. */
  readonly eventsMax: number;
  /** More events without any progress of time count as a spin. */
  readonly eventsPerInstantMax: number;
  /**
   * Place of a lane among those of an instant, from 0 to 2^32 - 1; without it events of an instant
   * run in the order in which they were scheduled. Events of one lane always do.
   */
  readonly drawTie?: ((timeUs: number, lane: number) => number) | undefined;
}

/** The lane of events that come before all others of their instant. */
export const FIRST = -1;

/** The lane of events that come after all others of their instant. */
export const LAST = 0x1_0000_0000;

/** Virtual time in whole microseconds, from 0. */
export class EventLoop {
  private readonly heap = new MinHeap<Pending>(inOrder);
  private readonly trace: Trace;
  private readonly options: LoopOptions;
  private clockUs = 0;
  private scheduled = 0;
  private atInstant = 0;
  private executed = 0;
  private cause = 0;

  constructor(trace: Trace, options: LoopOptions) {
    this.trace = trace;
    this.options = options;
  }

  /** Now: the time of the event that is running, or of the last one. */
  get nowUs(): number {
    return this.clockUs;
  }

  /** Seq of the occurrence that caused what happens now; 0 for what comes from outside. */
  get causeSeq(): number {
    return this.cause;
  }

  /** Runs once at that time, or now if it is past; never inside this call. */
  at(timeUs: number, run: () => void, lane = 0): Timer {
    const pending = new Pending(run, this.cause);
    pending.timeUs = Math.max(this.clockUs, Math.ceil(timeUs));
    pending.tie = this.tieOf(pending.timeUs, lane);
    pending.seq = ++this.scheduled;
    this.heap.push(pending);
    return pending;
  }

  /** Runs the next event. False when there is none up to `untilUs`; time then stands at it. */
  step(untilUs: number): boolean {
    for (;;) {
      const next = this.heap.peek();
      if (next === undefined || next.timeUs > untilUs) {
        this.clockUs = Math.max(this.clockUs, untilUs);
        return false;
      }
      this.heap.pop();
      if (next.run === null) continue;
      this.atInstant = next.timeUs > this.clockUs ? 0 : this.atInstant + 1;
      this.clockUs = next.timeUs;
      this.checkLimits();
      this.cause = next.cause;
      next.run();
      return true;
    }
  }

  /** What is scheduled from now on is nobody's consequence. */
  leave(): void {
    this.cause = 0;
  }

  /** Notes the occurrence in the trace and carries it out. */
  execute(occurrence: Occurrence, run: () => void): void {
    this.executed++;
    this.cause = this.executed;
    this.trace.add(this.clockUs, occurrence);
    run();
  }

  private tieOf(timeUs: number, lane: number): number {
    if (lane === FIRST || lane === LAST) return lane;
    return this.options.drawTie?.(timeUs, lane) ?? 0;
  }

  private checkLimits(): void {
    if (this.atInstant > this.options.eventsPerInstantMax) {
      throw new InvariantError(
        `time stood still at ${this.clockUs} us for ${this.atInstant} events: something spins`,
      );
    }
    if (this.executed >= this.options.eventsMax) {
      throw new InvariantError(`the world ran ${this.executed} events, which is its limit`);
    }
  }
}

class Pending implements Timer {
  timeUs = 0;
  /** Smaller runs first at equal times. */
  tie = 0;
  seq = 0;
  readonly cause: number;
  /** Null once cancelled. */
  run: (() => void) | null;

  constructor(run: () => void, cause: number) {
    this.run = run;
    this.cause = cause;
  }

  cancel(): void {
    this.run = null;
  }
}

function inOrder(left: Pending, right: Pending): number {
  return left.timeUs - right.timeUs || left.tie - right.tie || left.seq - right.seq;
}
