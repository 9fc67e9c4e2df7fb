// While a world runs, nothing in this process may look at real time, real randomness or real
// timers: whoever tries is named by the stack of the error (SIMULATOR.md §4.3).

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { InvariantError } from '../../src/base/assert.ts';

interface Ambient {
  readonly target: object;
  readonly names: readonly string[];
}

const TIMER_NAMES = ['setTimeout', 'setInterval', 'setImmediate'];

function ambientSources(): readonly Ambient[] {
  return [
    { target: globalThis, names: TIMER_NAMES },
    { target: timers, names: TIMER_NAMES },
    { target: timersPromises, names: TIMER_NAMES },
    { target: Math, names: ['random'] },
    { target: performance, names: ['now'] },
    { target: process, names: ['hrtime'] },
    { target: crypto, names: ['randomBytes', 'randomUUID', 'randomInt', 'randomFillSync'] },
    { target: crypto.webcrypto, names: ['getRandomValues', 'randomUUID'] },
    { target: AbortSignal, names: ['timeout'] },
  ];
}

/** Sets the traps; the function that it returns takes them away again. Call it in a finally. */
export function guardAmbient(): () => void {
  const restores: (() => void)[] = [];
  const replace = (target: object, name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    restores.push(() => {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    });
  };
  for (const { target, names } of ambientSources()) {
    for (const name of names) replace(target, name, trap(name));
  }
  replace(globalThis, 'Date', guardedDate());
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.reverse()) restore();
    syncBuiltinESMExports();
  };
}

function trap(name: string): () => never {
  return () => {
    throw new InvariantError(`${name} was used inside a simulated world: use the ports instead`);
  };
}

/** Dates of a given time are harmless; those of now are not. */
function guardedDate(): DateConstructor {
  return new Proxy(Date, {
    construct: (target, given) => {
      if (given.length === 0) return trap('new Date()')();
      return Reflect.construct(target, given);
    },
    apply: trap('Date()'),
    get: (target, name) => (name === 'now' ? trap('Date.now') : Reflect.get(target, name)),
  });
}
