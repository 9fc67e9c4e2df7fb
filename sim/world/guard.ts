// While a world runs, nothing in this process may look at real time, real randomness, real timers
// or the garbage collector: whoever tries is named by the stack of the error (SIMULATOR.md §4.3).
// Worlds are run often and for short times, so all that can be made ready is made once.

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { InvariantError } from '../../src/base/assert.ts';

/** Properties of one object; `label` is what a program calls it, empty for globals. */
interface Ambient {
  readonly target: object;
  readonly label: string;
  readonly names: readonly string[];
}

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];
const RANDOM = ['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync'];
const KEYS = ['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync'];
const PRIMES = ['generatePrime', 'generatePrimeSync'];
const READINGS = ['uptime', 'cpuUsage', 'memoryUsage', 'resourceUsage'];

/**
 * Where a program finds time, chance, timers and the whims of the garbage collector. Files and
 * sockets are modules of their own; the order of microtasks is fixed, so they are harmless.
 */
const AMBIENT: readonly Ambient[] = [
  { target: globalThis, label: '', names: [...TIMERS, 'Date', 'fetch'] },
  { target: globalThis, label: '', names: ['WeakRef', 'FinalizationRegistry'] },
  { target: timers, label: 'timers', names: TIMERS },
  { target: timersPromises, label: 'timers', names: TIMERS },
  { target: timersPromises.scheduler, label: 'scheduler', names: ['wait', 'yield'] },
  { target: Math, label: 'Math', names: ['random'] },
  { target: performance, label: 'performance', names: ['now', 'timeOrigin', 'mark', 'measure'] },
  { target: process, label: 'process', names: ['hrtime', 'nextTick', ...READINGS] },
  { target: process.hrtime, label: 'process.hrtime', names: ['bigint'] },
  { target: crypto, label: 'crypto', names: [...RANDOM, ...KEYS, ...PRIMES] },
  { target: crypto.webcrypto, label: 'crypto', names: ['getRandomValues', 'randomUUID'] },
  { target: crypto.webcrypto.subtle, label: 'crypto.subtle', names: ['generateKey'] },
  { target: AbortSignal, label: 'AbortSignal', names: ['timeout'] },
  { target: Intl, label: 'Intl', names: ['DateTimeFormat'] },
];

/** A property that is replaced while a world runs. */
interface Trap {
  readonly holder: object;
  readonly name: string;
  readonly trap: unknown;
  /** False for a computed property, which has to be defined anew. */
  readonly isAssignable: boolean;
}

const TRAPS: readonly Trap[] = AMBIENT.flatMap(({ target, label, names }) =>
  names.flatMap((name) => trapFor(target, name, label === '' ? name : `${label}.${name}`)),
);

/** Sets the traps; the function that it returns takes them away again. Call it in a finally. */
export function guardAmbient(): () => void {
  const before = TRAPS.map(({ holder, name, trap, isAssignable }) => {
    if (!isAssignable) {
      const descriptor = Object.getOwnPropertyDescriptor(holder, name);
      Object.defineProperty(holder, name, { get: () => refuse(name), configurable: true });
      return descriptor;
    }
    const value: unknown = Reflect.get(holder, name);
    Reflect.set(holder, name, trap);
    return value;
  });
  // Imports by name from built-in modules look elsewhere than at these objects.
  syncBuiltinESMExports();
  return () => {
    TRAPS.forEach(({ holder, name, isAssignable }, at) => {
      if (isAssignable) Reflect.set(holder, name, before[at]);
      else Object.defineProperty(holder, name, Object(before[at]));
    });
    syncBuiltinESMExports();
  };
}

/** None when this version of Node lacks the property, or does not let it be replaced. */
function trapFor(target: object, name: string, label: string): readonly Trap[] {
  let holder: object | null = target;
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Reflect.getPrototypeOf(holder);
  if (holder === null) return [];
  const { value, writable, configurable } = Object.getOwnPropertyDescriptor(holder, name) ?? {};
  const isAssignable = writable === true;
  if (!isAssignable && configurable !== true) return [];
  return [{ holder, name, trap: replacement(label, value), isAssignable }];
}

function replacement(label: string, real: unknown): unknown {
  if (real === Date) return guardedDate();
  if (real === process.nextTick) return guardedTick(process.nextTick);
  // A function of the old kind: it may be called with `new`, too.
  function trap(): never {
    return refuse(label);
  }
  return label === 'process.hrtime'
    ? Object.assign(trap, { bigint: () => refuse('process.hrtime.bigint') })
    : trap;
}

function refuse(what: string): never {
  throw new InvariantError(`${what} was used inside a simulated world: use the ports instead`);
}

/** Dates of a given time are harmless; those of now are not. */
function guardedDate(): DateConstructor {
  return new Proxy(Date, {
    construct: (target, given) => {
      if (given.length === 0) refuse('new Date()');
      return Reflect.construct(target, given);
    },
    apply: () => refuse('Date()'),
    get: (target, name) => (name === 'now' ? () => refuse('Date.now') : Reflect.get(target, name)),
  });
}

/** Node itself calls it by this name, for the pipes and sockets of whoever runs the world. */
function guardedTick(real: typeof process.nextTick): unknown {
  return function nextTick(...given: unknown[]): unknown {
    const caller = new Error().stack?.split('\n')[2] ?? '';
    if (!/(\(|^ *at )node:/.test(caller)) refuse('process.nextTick');
    return Reflect.apply(real, process, given);
  };
}
