import { HoldfastError, describeValue } from '../../src/base/error.ts';

/** A number of milliseconds, or a number with its unit: `150ms`, `2s`, `1.5 s`, `10min`, `1h`. */
export type Duration = number | string;

const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
};

/** In milliseconds, from 0. Throws HoldfastError INVALID. */
export function millisecondsOf(duration: Duration): number {
  const given: unknown = duration;
  if (typeof given === 'number' && given >= 0 && given < Infinity) return given;
  const [, digits, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/.exec(String(given)) ?? [];
  const factor = UNITS[unit];
  if (typeof given === 'string' && digits !== undefined && factor !== undefined) {
    return Number(digits) * factor;
  }
  const expected = `milliseconds or a text such as '150ms', '2s' or '10min'`;
  throw new HoldfastError(
    'INVALID',
    `a duration must be ${expected} (got ${describeValue(given)})`,
  );
}
