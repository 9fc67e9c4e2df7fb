// The timers of one life of a process, in the order in which Node fires them: by the millisecond at
// which they are due, and of one millisecond the oldest first. Each is a call-back of its own,
// after which all promises are settled.

import { MinHeap } from '../../src/base/heap.ts';
import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { Life } from '../world/process.ts';

/** A timer that is set, or was. */
export interface ProgramTimer {
  readonly isPending: boolean;
  cancel(): void;
}

/** Something that can be closed. */
export interface Closable {
  close(): unknown;
}

/** See the head of this file. */
export class ProgramTimers {
  private readonly life: Life;
  private readonly clock: Clock;
  private readonly heap = new MinHeap<Entry>(
    (left, right) => left.dueUs - right.dueUs || left.number - right.number,
  );
  // Of those whose number somebody asked for; they end with the life.
  private readonly asked = new Map<number, Closable>();
  private numbers = 0;
  private count = 0;
  private armed: { readonly timer: Timer; readonly dueUs: number } | null = null;

  constructor(life: Life, clock: Clock) {
    this.life = life;
    this.clock = clock;
  }

  /** Timers that are set; none once the process is dead. */
  get pending(): number {
    return this.life.isAlive ? this.count : 0;
  }

  /** Fires once, `delayMs` or more from now. */
  add(delayMs: number, run: () => void): ProgramTimer {
    const dueUs = this.clock.monoUs() + Math.ceil(delayMs * 1_000);
    const entry: Entry = {
      dueUs,
      number: ++this.numbers,
      run,
      isPending: true,
      cancel: () => {
        if (!entry.isPending) return;
        entry.isPending = false;
        this.count -= 1;
      },
    };
    this.count += 1;
    this.heap.push(entry);
    this.arm();
    return entry;
  }

  /** A number that stands for this. */
  numberOf(timer: Closable): number {
    for (const [number, known] of this.asked) if (known === timer) return number;
    const number = ++this.numbers;
    this.asked.set(number, timer);
    return number;
  }

  /** What that number stands for. */
  numbered(number: number): Closable | undefined {
    return this.asked.get(number);
  }

  private arm(): void {
    const next = this.next();
    if (next === undefined) return;
    if (this.armed !== null) {
      if (this.armed.dueUs <= next.dueUs) return;
      this.armed.timer.cancel();
    }
    const delayUs = next.dueUs - this.clock.monoUs();
    const timer = delayUs > 0 ? this.clock.after(delayUs, () => this.fire()) : this.atOnce();
    this.armed = { timer, dueUs: next.dueUs };
  }

  private atOnce(): Timer {
    return this.life.schedule(this.life.nowUs(), { kind: 'timer', run: () => this.fire() });
  }

  private fire(): void {
    this.armed = null;
    const next = this.next();
    try {
      if (next === undefined || next.dueUs > this.clock.monoUs()) return;
      this.heap.pop();
      next.isPending = false;
      this.count -= 1;
      next.run();
    } finally {
      this.arm();
    }
  }

  /** The first that is not cancelled. */
  private next(): Entry | undefined {
    for (;;) {
      const first = this.heap.peek();
      if (first === undefined || first.isPending) return first;
      this.heap.pop();
    }
  }
}

interface Entry extends ProgramTimer {
  readonly dueUs: number;
  readonly number: number;
  readonly run: () => void;
  isPending: boolean;
}
