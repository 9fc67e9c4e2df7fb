// Where a JavaScript program finds time, chance, timers and the whims of the garbage collector
// without asking a port (SIMULATOR.md §4.3). queueMicrotask is not among them: its order is fixed.

import crypto from 'node:crypto';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

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

/** All of them that are not a module's own affair, as files and sockets are. */
export const AMBIENT: readonly Ambient[] = [
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
