// Date, performance and process.hrtime, by the clocks of the machine of the process that asks.

import process from 'node:process';
import type { OwnGround } from '../ground.ts';
import { dispatching, isCallable, ownOrOutside } from './dispatch.ts';
import type { Callable, Replacement } from './dispatch.ts';
import { noteReading } from './reading.ts';

const NS_PER_US = 1_000n;
const NS_PER_S = 1_000_000_000n;

function wallMs(own: OwnGround): number {
  noteReading(own);
  return own.clock.wallMs();
}

/** Since this life began. */
function upUs(own: OwnGround): number {
  noteReading(own);
  return own.clock.monoUs() - own.startedUs;
}

function virtualDate(real: unknown): unknown {
  // By now it is still Node's own.
  const RealDate = Date;
  if (real !== RealDate) return real;
  const now = (): number => {
    const own = ownOrOutside('Date.now');
    return own === null ? RealDate.now() : wallMs(own);
  };
  return new Proxy(RealDate, {
    construct: (target, given, made) => {
      const own = given.length === 0 ? ownOrOutside('new Date()') : null;
      return Reflect.construct(target, own === null ? given : [wallMs(own)], made);
    },
    apply: (target) => {
      const own = ownOrOutside('Date()');
      return own === null ? target() : new target(wallMs(own)).toString();
    },
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Formats now where no date is given. */
function virtualFormat(real: unknown): unknown {
  const RealFormat = Intl.DateTimeFormat;
  if (real !== RealFormat) return real;
  return new Proxy(RealFormat, {
    construct: (target, given, made) => nowInstead(Reflect.construct(target, given, made)),
    apply: (target, self, given) => nowInstead(Reflect.apply(target, self, given)),
  });
}

function nowInstead(format: unknown): object {
  if (!(format instanceof Intl.DateTimeFormat)) return Object(format);
  const dated = (date: Date | number | undefined): Date | number | undefined => {
    const own = date === undefined ? ownOrOutside('Intl.DateTimeFormat of now') : null;
    return own === null ? date : wallMs(own);
  };
  const real = { text: format.format, parts: format.formatToParts.bind(format) };
  return Object.defineProperties(format, {
    format: { value: (date?: Date | number) => real.text(dated(date)), configurable: true },
    formatToParts: { value: (date?: Date | number) => real.parts(dated(date)), configurable: true },
  });
}

const bigint = dispatching('process.hrtime.bigint', (own) => nanoseconds(own));

function nanoseconds(own: OwnGround): bigint {
  noteReading(own);
  return BigInt(own.clock.monoUs()) * NS_PER_US;
}

function since(own: OwnGround, [before]: readonly unknown[]): [number, number] {
  const at = nanoseconds(own);
  const from = Array.isArray(before) ? BigInt(before[0]) * NS_PER_S + BigInt(before[1]) : 0n;
  const spent = at - from;
  return [Number(spent / NS_PER_S), Number(spent % NS_PER_S)];
}

function hrtime(real: unknown): unknown {
  const call = dispatching('process.hrtime', since)(real);
  if (!isCallable(call)) return call;
  return new Proxy<Callable>(call, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return name === 'bigint' ? bigint(value) : value;
    },
  });
}

/** Clocks, wherever Node has them. */
export const CLOCKS: readonly Replacement[] = [
  { target: globalThis, name: 'Date', make: virtualDate },
  { target: Intl, name: 'DateTimeFormat', make: virtualFormat },
  {
    target: performance,
    name: 'now',
    make: dispatching('performance.now', (own) => upUs(own) / 1_000),
  },
  { target: process, name: 'hrtime', make: hrtime },
  {
    target: process,
    name: 'uptime',
    make: dispatching('process.uptime', (own) => upUs(own) / 1e6),
  },
];
