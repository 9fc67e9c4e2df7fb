import type { Clock, Timer } from '../../src/ports/clock.ts';

interface Event {
  readonly dueUs: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

const STEPS_MAX = 2_000_000;

/** Time that only moves when a test says so; call-backs run in order, one at a time. */
export class VirtualClock implements Clock {
  private nowUs = 1_000_000;
  private suspendedUs = 0;
  private taken = 0;
  // Ascending by due time; equal ones in the order of their making.
  private readonly events: Event[] = [];

  monoUs(): number {
    return this.nowUs;
  }

  bootUs(): number {
    return this.nowUs + this.suspendedUs;
  }

  wallMs(): number {
    return 0;
  }

  after(delayUs: number, callback: () => void): Timer {
    const event = { dueUs: this.nowUs + Math.max(0, delayUs), callback, isCancelled: false };
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.events[middle]?.dueUs ?? 0) <= event.dueUs) low = middle + 1;
      else high = middle;
    }
    this.events.splice(low, 0, event);
    return { cancel: () => void (event.isCancelled = true) };
  }

  soon(callback: () => void): void {
    this.after(0, callback);
  }

  /** Pending call-backs, for tests that want none. */
  pending(): number {
    return this.events.filter((event) => !event.isCancelled).length;
  }

  /** The process does not run: time passes, nothing is called. */
  block(ms: number): void {
    this.nowUs += ms * 1000;
  }

  /** The machine sleeps: only the boot clock sees it. */
  suspend(ms: number): void {
    this.suspendedUs += ms * 1000;
  }

  /** Runs everything that is due within `ms`, with the promises that follow from each. */
  async run(ms: number): Promise<void> {
    const untilUs = this.nowUs + ms * 1000;
    await drainPromises();
    while (await this.step(untilUs));
    this.nowUs = Math.max(this.nowUs, untilUs);
  }

  /** Runs until the promise settles. Throws when it does not within `limitMs`. */
  async settle<T>(promise: Promise<T>, limitMs = 120_000): Promise<T> {
    const untilUs = this.nowUs + limitMs * 1000;
    let isSettled = false;
    const note = (): void => {
      isSettled = true;
    };
    promise.then(note, note);
    await drainPromises();
    while (!isSettled) {
      if (!(await this.step(untilUs))) throw new Error(`not settled within ${limitMs} ms`);
    }
    return promise;
  }

  /** Runs the next `count` call-backs, or fewer when there are no more. */
  async steps(count: number): Promise<void> {
    for (let done = 0; done < count; done++) if (!(await this.step(Infinity))) return;
  }

  private async step(untilUs: number): Promise<boolean> {
    while (this.events[0]?.isCancelled === true) this.events.shift();
    const [event] = this.events;
    if (event === undefined || event.dueUs > untilUs) return false;
    if (++this.taken > STEPS_MAX) throw new Error('endless work');
    this.events.shift();
    this.nowUs = Math.max(this.nowUs, event.dueUs);
    event.callback();
    await drainPromises();
    return true;
  }
}

// Every reaction that is ready runs before an immediate does.
function drainPromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
