// setTimeout and its family, on the clock of the process that calls them.

import { AsyncResource } from 'node:async_hooks';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { grounds } from '../ground.ts';
import type { OwnGround } from '../ground.ts';
import type { ProgramTimer } from '../program-timers.ts';
import { dispatching, isCallable } from './dispatch.ts';
import type { Replacement } from './dispatch.ts';
import { delay, immediately, intervals, yielding } from './timers-promises.ts';

const DELAY_MS_MAX = 2 ** 31 - 1;

/** As Node reads a delay. */
function delayOf(given: unknown): number {
  const delayMs = Number(given);
  return delayMs >= 1 && delayMs <= DELAY_MS_MAX ? Math.trunc(delayMs) : 1;
}

/** What setTimeout and setInterval give. */
class VirtualTimeout {
  private readonly own: OwnGround;
  private readonly delayMs: number;
  private readonly isRepeated: boolean;
  private readonly run: () => void;
  private timer: ProgramTimer;
  private isReferenced = true;
  private isClosed = false;

  constructor(own: OwnGround, delayMs: number, isRepeated: boolean, run: () => void) {
    this.own = own;
    this.delayMs = delayMs;
    this.isRepeated = isRepeated;
    this.run = run;
    this.timer = this.set();
  }

  ref(): this {
    this.isReferenced = true;
    return this;
  }

  unref(): this {
    this.isReferenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.isReferenced;
  }

  refresh(): this {
    if (this.isClosed) return this;
    this.timer.cancel();
    this.timer = this.set();
    return this;
  }

  close(): this {
    this.isClosed = true;
    this.timer.cancel();
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.own.timers.numberOf(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private set(): ProgramTimer {
    return this.own.timers.add(this.delayMs, () => {
      try {
        this.run();
      } finally {
        if (this.isRepeated && !this.isClosed) this.timer = this.set();
      }
    });
  }
}

/** What setImmediate gives. */
class VirtualImmediate {
  isCleared = false;
  private isReferenced = true;

  constructor(own: OwnGround, run: () => void) {
    own.life.soon(() => {
      if (!this.isCleared) run();
    });
  }

  ref(): this {
    this.isReferenced = true;
    return this;
  }

  unref(): this {
    this.isReferenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.isReferenced;
  }

  [Symbol.dispose](): void {
    this.isCleared = true;
  }
}

/** In the asynchronous context of whoever sets it, as Node does it. */
function bound([run, ...rest]: readonly unknown[]): (() => void) | null {
  if (!isCallable(run)) return null;
  const resource = new AsyncResource('VirtualTimer');
  return () => void resource.runInAsyncScope(() => run(...rest));
}

function timing(name: string, isRepeated: boolean): (real: unknown) => unknown {
  const call = dispatching(name, (own, [run, delayMs, ...rest], real) => {
    const callback = bound([run, ...rest]);
    // Node's own error for what is no function.
    if (callback === null) return real(run, delayMs);
    return new VirtualTimeout(own, delayOf(delayMs), isRepeated, callback);
  });
  const promised = dispatching(name, (own, [delayMs, value]) => delay(own, delayMs, value));
  return isRepeated ? call : (real) => promisable(call(real), promised);
}

const immediate = dispatching('setImmediate', (own, given, real) => {
  const callback = bound(given);
  return callback === null ? real(...given) : new VirtualImmediate(own, callback);
});

const promisedImmediate = dispatching('setImmediate', (own, [value]) => immediately(own, value));

/** For util.promisify. */
function promisable(replaced: unknown, promised: (real: unknown) => unknown): unknown {
  if (!isCallable(replaced)) return replaced;
  return new Proxy(replaced, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      return key === promisify.custom ? promised(value) : value;
    },
  });
}

/** Clears timers of both kinds, from anywhere. */
function clearing(): (real: unknown) => unknown {
  return (real) => {
    if (!isCallable(real)) return real;
    return new Proxy(real, {
      apply: (target, self, given) => {
        const [timer] = given;
        if (timer instanceof VirtualTimeout) timer.close();
        else if (timer instanceof VirtualImmediate) timer.isCleared = true;
        else if (!isNumbered(timer)) Reflect.apply(target, self, given);
        return undefined;
      },
    });
  };
}

/** Closes a timer that is meant by its number; false when there is none. */
function isNumbered(timer: unknown): boolean {
  if (typeof timer !== 'number' && typeof timer !== 'string') return false;
  const found = grounds.getStore()?.own?.timers.numbered(Number(timer));
  found?.close();
  return found !== undefined;
}

/** Timers, wherever Node has them. */
export const TIMERS: readonly Replacement[] = [
  ...[globalThis, timers].flatMap((target) => [
    { target, name: 'setTimeout', make: timing('setTimeout', false) },
    { target, name: 'setInterval', make: timing('setInterval', true) },
    {
      target,
      name: 'setImmediate',
      make: (real: unknown) => promisable(immediate(real), promisedImmediate),
    },
    ...['clearTimeout', 'clearInterval', 'clearImmediate'].map((name) => {
      return { target, name, make: clearing() };
    }),
  ]),
  {
    target: timersPromises,
    name: 'setTimeout',
    make: dispatching('setTimeout', (own, [ms, value, options]) => delay(own, ms, value, options)),
  },
  {
    target: timersPromises,
    name: 'setImmediate',
    make: dispatching('setImmediate', (own, [value, options]) => immediately(own, value, options)),
  },
  {
    target: timersPromises,
    name: 'setInterval',
    make: dispatching('setInterval', (own, given) => intervals(own, given)),
  },
  {
    target: timersPromises.scheduler,
    name: 'wait',
    make: dispatching('scheduler.wait', (own, [ms, options]) => delay(own, ms, undefined, options)),
  },
  {
    target: timersPromises.scheduler,
    name: 'yield',
    make: dispatching('scheduler.yield', (own) => yielding(own)),
  },
  {
    target: AbortSignal,
    name: 'timeout',
    make: dispatching('AbortSignal.timeout', (own, [ms]) => {
      const controller = new AbortController();
      const text = 'The operation was aborted due to timeout';
      const reason = (): DOMException => new DOMException(text, 'TimeoutError');
      own.timers.add(Math.max(0, Number(ms)), () => controller.abort(reason()));
      return controller.signal;
    }),
  },
];
