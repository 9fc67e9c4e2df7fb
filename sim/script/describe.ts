// A script as a story that a person can follow, in at most 40 lines.

import { US_PER_MS } from '../../src/base/units.ts';
import type { Violation } from '../oracle/verdict.ts';
import { describeFault } from './describe-fault.ts';
import { describeOp } from './describe-op.ts';
import { describeSettings } from './describe-settings.ts';
import type { Script } from './types.ts';

const LINES_MAX = 40;
/** The settings, the end of the faults, the violation. */
const FRAME_LINES = 5;
const WINDOWS_MS = [0, 1, 5, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 60_000];

interface Happening {
  readonly atMs: number;
  readonly text: string;
}

/** Prose of what happens, in the order of time, and what it violates. */
export function describeScript(script: Script, violation: Violation | null): readonly string[] {
  const happenings = [
    ...script.faults.map((fault) => ({ atMs: fault.atMs, text: describeFault(script, fault) })),
    ...script.ops.map((op) => ({ atMs: op.atMs, text: describeOp(script, op) })),
  ]
    .filter(({ atMs }) => atMs <= script.horizonMs)
    .toSorted((left, right) => left.atMs - right.atMs);
  // What was broken before the end was broken under the faults: there is no end to tell of.
  const isTold = violation === null || violation.atUs >= script.horizonMs * US_PER_MS;
  const hasEnd = isTold && script.faults.length > 0;
  const end = hasEnd ? [`at ${seconds(script.horizonMs)} all faults end`] : [];
  const verdict =
    violation === null
      ? 'every promise is kept'
      : `at ${seconds(violation.atUs / 1_000)} ${violation.oracle} is broken: ${violation.message}`;
  return [...describeSettings(script), ...linesOf(happenings), ...end, verdict];
}

/** What comes close together shares a line; the more there is, the more is close. */
function linesOf(happenings: readonly Happening[]): readonly string[] {
  for (const windowMs of WINDOWS_MS) {
    const groups = grouped(happenings, windowMs);
    if (groups.length > LINES_MAX - FRAME_LINES) continue;
    return groups.map((group) => {
      const [first, ...rest] = group;
      const startMs = first?.atMs ?? 0;
      const later = rest.map(({ atMs, text }) =>
        atMs === startMs ? text : `${atMs - startMs} ms later ${text}`,
      );
      return [`at ${seconds(startMs)} ${first?.text ?? ''}`, ...later].join('; ');
    });
  }
  return [];
}

function grouped(happenings: readonly Happening[], windowMs: number): readonly Happening[][] {
  const groups: Happening[][] = [];
  for (const happening of happenings) {
    const group = groups.at(-1);
    const startMs = group?.[0]?.atMs;
    if (startMs !== undefined && happening.atMs - startMs <= windowMs) group?.push(happening);
    else groups.push([happening]);
  }
  return groups;
}

function seconds(timeMs: number): string {
  return `${(timeMs / 1_000).toFixed(timeMs % 10 === 0 ? 2 : 3)} s`;
}
