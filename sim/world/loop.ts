// One heap of pending events under virtual time. Whoever runs the loop decides when: nothing in
// here waits for anything real.

import { InvariantError } from '../../src/base/assert.ts';
import { MinHeap } from '../../src/base/heap.ts';
import type { Timer } from '../../src/ports/clock.ts';
import type { EventKind, Trace } from './trace.ts';

/** How many events a loop may run, and how many at one instant, before it counts as a spin. */
export interface LoopLimits {
  readonly eventsMax: number;
  readonly eventsPerInstantMax: number;
}

/** What an event is, for the trace: who it happens to and three numbers. */
export interface Occurrence {
  readonly kind: EventKind;
  /** Number of the process, 0 for the world. */
  readonly process: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly cause: number;
}

interface Pending {
  readonly timeUs: number;
  /** Smaller runs first at equal times; `LAST` runs after everything else of that instant. */
  readonly tie: number;
  readonly seq: number;
  readonly cause: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The tie of events that come after all others of their instant. */
export const LAST = 0x1_0000_0000;

/** Virtual time in whole microseconds, from 0. */
export class EventLoop {
  private readonly heap = new MinHeap<Pending>(byTime);
  private readonly trace: Trace;
  private readonly limits: LoopLimits;
  private clockUs = 0;
  private scheduled = 0;
  private atInstant = 0;
  private executed = 0;
  private cause = 0;

  constructor(trace: Trace, limits: LoopLimits) {
    this.trace = trace;
    this.limits = limits;
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
  at(timeUs: number, run: () => void, tie = 0): Timer {
    const pending: Pending = {
      timeUs: Math.max(this.clockUs, Math.ceil(timeUs)),
      tie,
      seq: ++this.scheduled,
      cause: this.cause,
      run,
      isCancelled: false,
    };
    this.heap.push(pending);
    return {
      cancel: () => {
        pending.isCancelled = true;
      },
    };
  }

  /** Time of the next event that was not cancelled; null when nothing is pending. */
  nextTimeUs(): number | null {
    for (;;) {
      const next = this.heap.peek();
      if (next === undefined) return null;
      if (!next.isCancelled) return next.timeUs;
      this.heap.pop();
    }
  }

  /** Runs the next event. False when there is none up to `untilUs`; time then stands at it. */
  step(untilUs: number): boolean {
    const nextUs = this.nextTimeUs();
    if (nextUs === null || nextUs > untilUs) {
      this.clockUs = Math.max(this.clockUs, untilUs);
      return false;
    }
    this.atInstant = nextUs > this.clockUs ? 0 : this.atInstant + 1;
    this.clockUs = nextUs;
    this.checkLimits();
    const pending = this.heap.pop();
    this.cause = pending?.cause ?? 0;
    pending?.run();
    return true;
  }

  /** What is scheduled from now on is nobody's consequence. */
  leave(): void {
    this.cause = 0;
  }

  /** Notes the occurrence in the trace and carries it out. */
  execute(occurrence: Occurrence, run: () => void): void {
    this.executed++;
    this.cause = this.executed;
    this.trace.add({ ...occurrence, seq: this.executed, timeUs: this.clockUs });
    run();
  }

  private checkLimits(): void {
    if (this.atInstant > this.limits.eventsPerInstantMax) {
      throw new InvariantError(
        `time stood still at ${this.clockUs} us for ${this.atInstant} events: something spins`,
      );
    }
    if (this.executed >= this.limits.eventsMax) {
      throw new InvariantError(`the world ran ${this.executed} events, which is its limit`);
    }
  }
}

function byTime(left: Pending, right: Pending): number {
  return left.timeUs - right.timeUs || left.tie - right.tie || left.seq - right.seq;
}
