import type { MonoUs } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { callAt } from './timer.ts';

/** Something that has until then. */
export interface Due {
  /** May change only while it is not among the deadlines. Infinity: never due. */
  readonly dueUs: MonoUs;
  /** For Deadlines: its place among them, or NOWHERE. */
  place: number;
  /** The monotonic clock has reached dueUs; it is among the deadlines no more. */
  onDue(): void;
}

/** The place of what is not among the deadlines. */
export const NOWHERE = -1;
/** The place of the first fresh one; those after it have smaller ones. */
const FRESH = -2;
/** Nearly every request is over before this time, and never has to be put in order. */
const SORT_US = 1_000_000;

/**
 * The deadlines of one client's requests, by one timer: nearly all of them are met, and a timer set
 * and cancelled for each costs more than the rest of a request. The timer is not set back when
 * the first one is met, but looks again when it rings.
 */
export class Deadlines {
  private readonly clock: Clock;
  // A binary heap by dueUs. One for each request, which its owner bounds.
  private readonly heap: Due[] = [];
  // Those that were added since the last sorting and are due after the next one, in no order.
  private readonly fresh: Due[] = [];
  // When the fresh ones go to the heap; of no meaning while there are none.
  private sortUs: MonoUs = 0;
  private timer: Timer | null = null;
  private ringUs: MonoUs = Infinity;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** It is among none yet. */
  add(due: Due): void {
    if (due.dueUs === Infinity) return;
    const { fresh } = this;
    if (fresh.length === 0) this.sortUs = this.clock.monoUs() + SORT_US;
    if (due.dueUs > this.sortUs) {
      due.place = FRESH - fresh.length;
      fresh.push(due);
    } else {
      this.order(due);
    }
    const nextUs = Math.min(due.dueUs, this.sortUs);
    if (nextUs < this.ringUs) this.arm(nextUs);
  }

  /** Idempotent. */
  remove(due: Due): void {
    const { heap, fresh } = this;
    const { place } = due;
    if (place === NOWHERE) return;
    due.place = NOWHERE;
    if (place <= FRESH) {
      const last = fresh.pop();
      if (last === undefined || last === due) return;
      fresh[FRESH - place] = last;
      last.place = place;
      return;
    }
    const last = heap.pop();
    if (last === undefined || last === due) return;
    if (last.dueUs < due.dueUs) this.rise(last, place);
    else this.sink(last, place);
  }

  /** No request is left, nor will there be another: a timer would keep the process. */
  stop(): void {
    this.timer?.cancel();
    this.ringUs = Infinity;
  }

  private order(due: Due): void {
    this.heap.push(due);
    this.rise(due, this.heap.length - 1);
  }

  private arm(dueUs: MonoUs): void {
    this.timer?.cancel();
    this.ringUs = dueUs;
    this.timer = callAt(this.clock, dueUs, () => this.ring());
  }

  // Each in a turn of its own, as if it had its own timer: whoever waits for one may go on, and
  // take care of the next, before that is due.
  private ring(): void {
    this.ringUs = Infinity;
    const nowUs = this.clock.monoUs();
    if (nowUs >= this.sortUs) for (const due of this.fresh.splice(0)) this.order(due);
    const [first] = this.heap;
    if (first === undefined || first.dueUs > nowUs) {
      const sortUs = this.fresh.length > 0 ? this.sortUs : Infinity;
      this.arm(Math.min(first?.dueUs ?? Infinity, sortUs));
      return;
    }
    this.remove(first);
    this.ringUs = nowUs;
    this.clock.soon(() => this.ring());
    first.onDue();
  }

  private rise(due: Due, from: number): void {
    const { heap } = this;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.dueUs <= due.dueUs) break;
      this.put(parent, at);
      at = above;
    }
    this.put(due, at);
  }

  private sink(due: Due, from: number): void {
    const { heap } = this;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      const right = heap[below + 1];
      if (child !== undefined && right !== undefined && right.dueUs < child.dueUs) {
        below += 1;
        child = right;
      }
      if (child === undefined || child.dueUs >= due.dueUs) break;
      this.put(child, at);
      at = below;
    }
    this.put(due, at);
  }

  private put(due: Due, at: number): void {
    this.heap[at] = due;
    due.place = at;
  }
}
