import { HoldfastError, describeValue } from '../base/error.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/**
 * Milliseconds of a duration such as `500ms`, `15s`, `2m` or `1h`. A number without a unit is
 * refused: half of its readers would take it for seconds, the other half for milliseconds.
 * Throws INVALID.
 */
export function parseDuration(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,10})(ms|s|m|h)?$/.exec(text) ?? [];
  if (digits === '') {
    throw new HoldfastError(
      'INVALID',
      `expected a duration such as 500ms, 15s, 2m or 1h; got ${describeValue(text)}`,
    );
  }
  if (unit !== 'ms' && unit !== 's' && unit !== 'm' && unit !== 'h') {
    throw new HoldfastError(
      'INVALID',
      `a duration needs a unit: write ${digits}s or ${digits}ms; got ${describeValue(text)}`,
    );
  }
  return Number(digits) * UNIT_MS[unit];
}

/** A duration for people, in the largest unit that shows it whole: `15s`, `1500ms`. */
export function showDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms % UNIT_MS.h === 0) return `${ms / UNIT_MS.h}h`;
  if (ms % UNIT_MS.m === 0) return `${ms / UNIT_MS.m}m`;
  return ms % UNIT_MS.s === 0 ? `${ms / UNIT_MS.s}s` : `${ms}ms`;
}

/** A measured time for people: `12.3s`, `3m 20s`, `2h 5m`. */
export function showMs(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const minutes = Math.floor(ms / UNIT_MS.m);
  if (ms < UNIT_MS.h) return `${minutes}m ${Math.floor((ms % UNIT_MS.m) / UNIT_MS.s)}s`;
  return `${Math.floor(ms / UNIT_MS.h)}h ${minutes % 60}m`;
}
